/** Marks in the contents the section that is being read. */
export function followContents(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('[aria-label="On this page"] > a')];
  const headings = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  const show = () => {
    const reading = headings.findLastIndex((heading) => heading && heading.getBoundingClientRect().top < 120);
    links.forEach((link, n) => {
      if (n === Math.max(reading, 0)) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    });
  };
  let waiting = false;
  addEventListener(
    'scroll',
    () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        show();
      });
    },
    { passive: true },
  );
  if (links.length > 0) show();
}
