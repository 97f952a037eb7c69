const key = 'nightbell_device';

/**
 * A random string that marks this browser, made on first use. With it, other people's wrong
 * passwords cannot lock this browser out. Without storage it is new every time.
 */
export function deviceToken(): string {
  try {
    const stored = localStorage.getItem(key);
    if (stored) return stored;
    const made = randomToken();
    localStorage.setItem(key, made);
    return made;
  } catch {
    return randomToken();
  }
}

/** 128 random bits as text. crypto.randomUUID is missing on plain http away from localhost. */
export function randomToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
