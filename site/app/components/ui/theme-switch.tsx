import { useSyncExternalStore } from 'react';
import { useLocation } from 'react-router';
import { chooseTheme, currentTheme, defaultTheme, subscribeTheme, type ThemeChoice } from '~/lib/theme';
import { Icon } from './icon';
import { Segmented } from './segmented';
import * as styles from './theme-switch.module.css';

const choices = [
  { value: 'light', label: 'Light', content: <Icon name="sun" /> },
  { value: 'dark', label: 'Dark', content: <Icon name="moon" /> },
  { value: 'system', label: 'System', content: <Icon name="monitor" /> },
] as const satisfies readonly { value: ThemeChoice; label: string; content: unknown }[];

/** Light, dark or system. The choice is stored for every page. */
export function ThemeSwitch({ className = '' }: { className?: string }) {
  const { pathname } = useLocation();
  const choice = useSyncExternalStore(
    subscribeTheme,
    () => currentTheme(pathname),
    () => defaultTheme(pathname),
  );
  return (
    <Segmented
      label="Theme"
      look="icons"
      className={`${styles.themeSwitch} ${className}`}
      choices={choices}
      value={choice}
      onChoose={chooseTheme}
    />
  );
}
