/** What was chosen and is being stored; undefined while nothing is. */
export function underWay<T>({ isPending, variables }: { isPending: boolean; variables: T | undefined }) {
  return isPending ? variables : undefined;
}

/** A row's state while one of them is stored: one sees which, and can press none. */
export function choiceState<T>(doing: T | undefined, choice: T) {
  return { disabled: doing !== undefined, 'aria-busy': doing === choice ? true : undefined };
}
