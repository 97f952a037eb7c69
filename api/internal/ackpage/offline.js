addEventListener('submit', (event) => {
  if (!window.fetch || !window.AbortController) return;
  event.preventDefault();
  const form = event.target,
    button = form.querySelector('button'),
    stop = new AbortController();
  const said = form.querySelector('[role=alert]') || form.appendChild(document.createElement('p'));
  const timer = setTimeout(() => stop.abort(), 10000);
  said.setAttribute('role', 'alert');
  said.textContent = '';
  button.disabled = true;
  fetch(location.href, { method: 'POST', body: new URLSearchParams(new FormData(form)), signal: stop.signal })
    .then((answer) => answer.text())
    .then((text) => {
      const page = new DOMParser().parseFromString(text, 'text/html'),
        main = page.querySelector('main');
      if (!main) throw new Error('a proxy answered');
      document.querySelector('main').replaceWith(main);
      document.title = page.title;
      main.tabIndex = -1;
      main.focus();
    })
    .catch(() => {
      said.textContent = 'No answer came from Nightbell. Check the network of this device, then try again.';
      button.textContent = 'Try again';
      button.disabled = false;
      button.focus();
    })
    .finally(() => clearTimeout(timer));
});
