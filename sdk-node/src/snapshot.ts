const mostLevels = 8;
const mostEntries = 1000;

/**
 * A copy of what a caller gave, as JSON would see it: taken at once, because the caller may
 * change it before it is sent, and bounded, because it may be a whole request or a cycle.
 */
export function snapshot(value: unknown, levels = mostLevels): unknown {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'undefined':
      return value;
    case 'function':
    case 'symbol':
      return undefined;
  }
  if (value === null) return null;
  try {
    return copy(value as object, levels);
  } catch {
    return '[unreadable]'; // a getter or toJSON that throws
  }
}

function copy(value: object, levels: number): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (Buffer.isBuffer(value) || ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (levels <= 0) return '[too deep]';
  if ('toJSON' in value && typeof value.toJSON === 'function') return snapshot(value.toJSON(), levels - 1);
  if (Array.isArray(value) || value instanceof Set)
    return Array.from(value)
      .slice(0, mostEntries)
      .map((inner) => snapshot(inner, levels - 1) ?? null);
  const made: Record<string, unknown> = {};
  let count = 0;
  for (const [key, inner] of value instanceof Map ? value : Object.entries(value)) {
    const kept = snapshot(inner, levels - 1);
    if (kept === undefined) continue;
    if (++count > mostEntries) break;
    Object.defineProperty(made, String(key), {
      value: kept,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return made;
}
