import { Link } from 'react-router';
import { Brand } from '~/components/ui/brand';
import { company, repository } from '~/lib/company';
import { isDocs, paths } from '~/lib/paths';
import front from '../front?worker&url';
import * as landingStyles from '../landing.module.css';
import * as styles from './footer.module.css';
import { Notice } from './notice';
import { StayUpdated } from './stay-updated';

const columns = [
  {
    title: 'Product',
    links: [
      ['Features', '/#features'],
      ['Pricing', '/#pricing'],
      ['Integrations', '/#integrations'],
      ['Changelog', '/docs/changelog'],
    ],
  },
  {
    title: 'Resources',
    links: [
      ['Documentation', paths.docs],
      ['API reference', '/docs/api'],
      ['Send an alert', paths.docsFirstAlert],
      ['Community', `${repository}/discussions`],
    ],
  },
  {
    title: 'Company',
    links: [
      ['About', '/#about'],
      ['Security', `${repository}/security`],
      ['Source code', repository],
    ],
  },
] as const;

/** The public footer. Subscribe leads to the release feed, which needs no address to be given away. */
export function Footer() {
  const { name, address, supportEmail } = company();
  return (
    <footer className={styles.siteFooter}>
      <div className={landingStyles.wrap}>
        <div className={styles.columns}>
          <div>
            <Brand to={paths.home} />
            <address>
              <span data-company="name">{name}</span>
              <span data-company="address">{address}</span>
            </address>
          </div>
          {columns.map((column) => (
            <nav key={column.title} aria-label={column.title}>
              <h2>{column.title}</h2>
              <ul>
                {column.links.map(([word, to]) => (
                  <li key={word}>
                    {isRoute(to) ? (
                      <Link to={to} reloadDocument={isDocs(to)}>
                        {word}
                      </Link>
                    ) : (
                      <a href={to}>{word}</a>
                    )}
                  </li>
                ))}
                {column.title === 'Company' && (
                  <li>
                    <a data-company="supportEmail" href={`mailto:${supportEmail}`}>
                      Contact
                    </a>
                  </li>
                )}
              </ul>
            </nav>
          ))}
          <StayUpdated />
        </div>
        <div className={styles.legal}>
          <span>© 2024 Nightbell</span>
          <Link to={paths.privacy}>Privacy</Link>
          <Link to={paths.terms}>Terms</Link>
          <Link to={paths.cookies}>Cookies</Link>
        </div>
      </div>
      {/* React comes when somebody reaches for what needs it. Until then a small script is enough, and this is where it speaks. */}
      <Notice />
      <script type="module" src={front} />
    </footer>
  );
}

// A file of the server, such as the API description, is not a page of the router.
function isRoute(to: string): boolean {
  return to.startsWith('/') && !to.startsWith('/v1/');
}
