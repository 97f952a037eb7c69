/** How a page can look: every change is tested in one way, and LOOKS=all in all four. */
export const looks = (process.env.LOOKS === 'all' ? [1440, 390] : [1440]).flatMap((width) =>
  (process.env.LOOKS === 'all' ? ['dark', 'light'] : ['dark']).map((theme) => ({ width, theme })),
);
