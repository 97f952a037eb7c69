import { problems } from '../sample/words';

/** What a night without the product costs. */
export function Problems() {
  return (
    <section className="band">
      <div className="wrap">
        <h2>What a bad night costs</h2>
        <p className="sub">
          Every tool can send an alert. The hard part is what happens in the next five minutes.
        </p>
        <ul className="problems">
          {problems.map(({ at, title, text }) => (
            <li key={title}>
              <span className="at mono">{at}</span>
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
