import { ToolLogo } from '~/components/ui/tool-logo';
import { tools } from '../sample/integrations';

/** Twelve of the tools that can ring the bell. */
export function IntegrationsGrid() {
  return (
    <section className="band" id="integrations">
      <div className="wrap">
        <h2>Works with what already watches</h2>
        <p className="sub">300+ integrations. If it can send a webhook, it can ring the bell.</p>
        <ul className="tools">
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
