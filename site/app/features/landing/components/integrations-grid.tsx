import { ToolLogo } from '~/components/ui/tool-logo';
import * as landingStyles from '../landing.module.css';
import { tools } from '../sample/integrations';
import * as styles from './integrations-grid.module.css';

/** Twelve of the tools that can ring the bell. */
export function IntegrationsGrid() {
  return (
    <section className={landingStyles.band} id="integrations">
      <div className={landingStyles.wrap}>
        <h2>Works with what already watches</h2>
        <p className={landingStyles.sub}>
          300+ integrations. If it can send a webhook, it can ring the bell.
        </p>
        <ul className={styles.tools}>
          {tools.map((tool) => (
            <li key={tool.name}>
              <ToolLogo name={tool.name} src={tool.logo} />
              <b>{tool.name}</b>
              <span>{tool.category}</span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
