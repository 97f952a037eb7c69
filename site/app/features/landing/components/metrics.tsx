import { metrics } from '../sample/words';

/** Six figures in one line. */
export function Metrics() {
  return (
    <section className="band thin" aria-label="In production">
      <div className="wrap">
        <dl className="metrics">
          {metrics.map(({ value, label }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}
