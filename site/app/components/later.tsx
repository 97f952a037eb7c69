import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Boundary } from './ui/boundary';

interface Later<Props extends object> {
  (props: Props): ReactNode;
  /** Fetches it before anybody asks. */
  fetch: () => Promise<unknown>;
}

/**
 * What a press opens, in a file of its own: the page does not wait for it, and `useAhead` fetches it once the
 * page rests, so neither does the press. What could not be fetched says so, and is fetched again when asked.
 */
export function later<Props extends object>(
  what: string,
  load: () => Promise<ComponentType<Props>>,
): Later<Props> {
  let here: ComponentType<Props> | null = null;
  const fetch = async () => {
    here ??= await load();
    return { default: here };
  };
  // lazy() would suspend even on what is here already.
  const part = () => here ?? lazy(fetch);
  // biome-ignore lint/correctness/noComponentHookFactories: made once for each part, as lazy() is.
  const Later = (props: Props) => (
    <Boundary what={what}>
      <Drawn part={part} props={props} />
    </Boundary>
  );
  return Object.assign(Later, { fetch });
}

interface DrawnProps<Props extends object> {
  part: () => ComponentType<Props>;
  props: Props;
}

// Which it is was chosen once, so that nothing typed is lost when the file has come.
function Drawn<Props extends object>({ part, props }: DrawnProps<Props>) {
  const [Part] = useState(part);
  return (
    <Suspense>
      <Part {...props} />
    </Suspense>
  );
}

/** Fetches the parts when the browser has nothing else to do. */
export function useAhead(...parts: readonly Pick<Later<never>, 'fetch'>[]): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a component always names the same ones.
  useEffect(() => {
    // A part that cannot be had now is asked for again by the press.
    const fetchAll = () => {
      for (const part of parts) part.fetch().catch(() => undefined);
    };
    // Safari does not know when it is idle.
    if (!window.requestIdleCallback) {
      const timer = setTimeout(fetchAll, 500);
      return () => clearTimeout(timer);
    }
    const wanted = requestIdleCallback(fetchAll);
    return () => cancelIdleCallback(wanted);
  }, []);
}
