// What runs inside the page. Each waits until the browser has painted: the task after a frame began.

export interface Probe {
  /** Listens for the next key. It is a call of its own, because a key may overtake a call. */
  awaitKey: () => void;
  /** From that key to the paint after it, and to the paint after the rows changed, if they do. */
  key: () => Promise<{ echo: number; rows: number | null }>;
  /** When a text is painted, on the clock of the machine. */
  text: (wanted: string) => Promise<number>;
  /** From a click on a link of the navigation to the page with that heading, with nothing loading. */
  go: (word: string, heading: string) => Promise<number>;
}

export function installProbe(): void {
  const painted = () =>
    new Promise<number>((resolve) =>
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(performance.now());
        port2.postMessage(null);
      }),
    );
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      if (holds()) return resolve();
      const observer = new MutationObserver(() => {
        if (!holds()) return;
        observer.disconnect();
        resolve();
      });
      observer.observe(document, { subtree: true, childList: true, characterData: true });
    });
  // The list's rows come a moment after the letter; a key that changes none of them is not waited for.
  const patience = 400;
  let pressed: ReturnType<Probe['key']>;
  const probe: Probe = {
    awaitKey: () => {
      pressed = new Promise((resolve) => {
        document.addEventListener(
          'keydown',
          (event) => {
            const began = event.timeStamp;
            const list = document.querySelector('[aria-label="Incident list"]') ?? document.body;
            let rows: Promise<number> | undefined;
            const observer = new MutationObserver((changes) => {
              if (changes.some(({ target }) => target instanceof Element && target.closest('table')))
                rows ??= painted();
            });
            observer.observe(list, { subtree: true, childList: true, characterData: true });
            void painted().then((echo) =>
              setTimeout(async () => {
                observer.disconnect();
                const at = await rows;
                resolve({ echo: echo - began, rows: at === undefined ? null : at - began });
              }, patience),
            );
          },
          { once: true, capture: true },
        );
      });
    },
    key: () => pressed,
    text: async (wanted) => {
      await until(() => document.querySelector('main')?.textContent?.includes(wanted) ?? false);
      return performance.timeOrigin + (await painted());
    },
    go: async (word, heading) => {
      const links = [...document.querySelectorAll<HTMLAnchorElement>('nav[aria-label="Pages"] a')];
      const began = performance.now();
      links.find((link) => link.textContent?.startsWith(word))?.click();
      await until(
        () =>
          document.querySelector('main h1')?.textContent === heading &&
          !document.querySelector('main')?.textContent?.includes('Loading '),
      );
      return (await painted()) - began;
    },
  };
  Object.assign(window, { probe });
}
