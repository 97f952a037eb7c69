import { afterEach, describe, expect, it, vi } from 'vitest';
import { chooseTheme, currentTheme, themeScript } from './theme';

function systemIs(dark: boolean): void {
  vi.stubGlobal('matchMedia', () => ({ matches: dark, addEventListener() {}, removeEventListener() {} }));
}

function first(pathname: string): string | undefined {
  history.replaceState(null, '', pathname);
  new Function(themeScript)();
  return document.documentElement.dataset.theme;
}

afterEach(() => history.replaceState(null, '', '/'));

describe('before anything is drawn', () => {
  it.each([
    ['/', null, true, 'dark'],
    ['/', null, false, 'light'],
    ['/docs', null, false, 'dark'],
    ['/incidents', null, false, 'dark'],
    ['/incidents', 'system', false, 'light'],
    ['/', 'dark', false, 'dark'],
    ['/incidents', 'light', true, 'light'],
    ['/incidents', 'purple', false, 'dark'],
  ])('%s with %s stored and a dark system %s is %s', (path, stored, dark, theme) => {
    systemIs(dark);
    if (stored) localStorage.setItem('ui-theme', stored);
    expect(first(path)).toBe(theme);
    expect(document.documentElement.dataset.theme).toBe(theme);
  });
});

it('stores a choice and shows it', () => {
  systemIs(true);
  chooseTheme('light');
  expect(localStorage.getItem('ui-theme')).toBe('light');
  expect(currentTheme()).toBe('light');
  expect(document.documentElement.dataset.theme).toBe('light');
});
