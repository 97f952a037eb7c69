/** What the browser's tab says. Every page of the workspace has one, most by their head. */
export function Title({ children }: { children: string }) {
  return <title>{`${children} - Nightbell`}</title>;
}
