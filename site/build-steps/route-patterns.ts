/** What is needed of one entry of React Router's manifest. */
export interface ManifestRoute {
  id: string;
  parentId?: string;
  path?: string;
  index?: boolean;
}

/**
 * The full path of every page, sorted, with `:name` for a variable part. Layouts without a path
 * of their own and the catch-alls are left out: what they have was prerendered.
 */
export function routePatterns(routes: readonly ManifestRoute[]): string[] {
  const byId = new Map(routes.map((route) => [route.id, route]));
  const parents = new Set(routes.map((route) => route.parentId));
  const pages = routes.filter((route) => !parents.has(route.id) && !route.path?.endsWith('*'));
  return [...new Set(pages.map((route) => fullPath(route, byId)))].sort();
}

function fullPath(route: ManifestRoute, byId: ReadonlyMap<string, ManifestRoute>): string {
  const parts: string[] = [];
  for (let at: ManifestRoute | undefined = route; at; at = byId.get(at.parentId ?? '')) {
    if (at.path) parts.unshift(at.path);
  }
  return `/${parts.join('/')}`.replace(/\/+/g, '/');
}
