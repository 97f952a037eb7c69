import { expect, it } from 'vitest';
import { asleep } from './front';

const page = (script: string) =>
  `<head><link rel="modulepreload" href="/assets/a.js"/><link rel="modulepreload" href="/assets/b.js"/><title>A</title></head><body>${script}</body>`;

it("keeps React Router's script and the list of what it needs, and asks for neither", () => {
  expect(asleep(page('<script type="module" async="">import "/assets/a.js"</script>'))).toBe(
    '<head><title>A</title></head><body><script type="asleep" data-preload="/assets/a.js /assets/b.js">import "/assets/a.js"</script></body>',
  );
});

it('fails for a page that is written otherwise', () => {
  expect(() => asleep(page('<script type="module">import "/assets/a.js"</script>'))).toThrow('was not found');
  expect(() => asleep('<script type="module" async="">import "/assets/a.js"</script>')).toThrow();
});
