import type { ServiceJson } from '@nightbell/proto';

/** What a service cannot work without, and what cannot work without it; by name. */
export interface Dependencies {
  needs: readonly ServiceJson[];
  neededBy: readonly ServiceJson[];
}

/** Reads them out of all services. */
export function dependenciesOf(id: string, services: readonly ServiceJson[]): Dependencies {
  const own = services.find((one) => one.id === id)?.depends_on_ids ?? [];
  return {
    needs: services.filter((one) => own.includes(one.id ?? '')),
    neededBy: services.filter((one) => (one.depends_on_ids ?? []).includes(id)),
  };
}

/** A service in the picture: its column from the left, its row from the top. */
export interface Node {
  service: ServiceJson;
  column: 0 | 1 | 2;
  row: number;
}

/** Up to this many of a side are drawn; the list has all of them. */
export const mostDrawn = 6;

/** Where each stands: what needs the service on the left, what it needs on the right, each side in the middle of the taller. */
export function layout(
  service: ServiceJson,
  { needs, neededBy }: Dependencies,
): { nodes: Node[]; rows: number } {
  const sides = [neededBy.slice(0, mostDrawn), [service], needs.slice(0, mostDrawn)] as const;
  const rows = Math.max(...sides.map((side) => side.length));
  const nodes = sides.flatMap((side, column) =>
    side.map((one, at) => ({
      service: one,
      column: column as Node['column'],
      row: at + (rows - side.length) / 2,
    })),
  );
  return { nodes, rows };
}
