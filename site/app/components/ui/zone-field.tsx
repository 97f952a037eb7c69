import { knownZones, timezones } from '~/lib/time/timezones';
import { type Choice, SearchSelect } from './search-select';

/** A time zone, found by typing: the usual ones first, then every other one that the browser knows. */
export function ZoneField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (zone: string) => void;
}) {
  return (
    <SearchSelect
      single
      label={label}
      choices={zonesWith(value)}
      chosen={[choiceOf(value)]}
      onChange={([zone]) => zone && onChange(zone.id)}
    />
  );
}

function zonesWith(zone: string): Choice[] {
  const usual: readonly string[] = timezones;
  const others = [...new Set([...knownZones(), zone])].filter((one) => !usual.includes(one)).toSorted();
  return [
    ...usual.map((one) => ({ ...choiceOf(one), group: 'Usual' })),
    ...others.map((one) => ({ ...choiceOf(one), group: 'All' })),
  ];
}

function choiceOf(zone: string): Choice {
  return { id: zone, word: zone, icon: 'clock' };
}
