import type { DocsPage as Page } from '@nightbell/docs';
import { Brand } from '~/components/ui/brand';
import { Icon } from '~/components/ui/icon';
import { repository } from '~/lib/company';
import { paths } from '~/lib/paths';
import script from '../script?worker&url';
import * as styles from './docs-page.module.css';

const sections = [
  ['/docs/sdk-quick-reference', 'Guides'],
  ['/docs/api', 'API'],
  ['/docs/deployment', 'Self-hosting'],
  ['/docs/changelog', 'Changelog'],
] as const;

/** Sections of the landing page. */
const landing = [
  ['features', 'Features'],
  ['wearable', 'Wearable'],
  ['pricing', 'Pricing'],
  ['about', 'About'],
] as const;

/** A page of the documentation: the tree, the text, and what is on it. It works without a script. */
export function DocsPage({ page }: { page: Page }) {
  return (
    <div className={styles.docs} data-confirm={page.confirm}>
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <TopBar page={page} />
      {!page.wide && <PhoneBar page={page} />}
      <div className={page.wide ? styles.wide : styles.columns}>
        {!page.wide && <Tree page={page} />}
        <main
          id="content"
          className={styles.article}
          data-pagefind-body={page.url === '/docs/tested' ? undefined : true}
        >
          {page.wide ? (
            <a className={styles.back} href={paths.home}>
              <Icon name="chevron-left" /> Back to Home
            </a>
          ) : (
            <Crumbs page={page} />
          )}
          <h1 data-pagefind-meta="title">{page.title}</h1>
          <p className={styles.lede}>{page.description}</p>
          {!page.wide && <Frameworks page={page} />}
          {/* biome-ignore lint/security/noDangerouslySetInnerHtml: made in the build of our own pages. */}
          <div className={styles.text} dangerouslySetInnerHTML={{ __html: page.html }} />
          <Ending page={page} />
        </main>
        {!page.wide && <OnThisPage page={page} />}
      </div>
      <div className={styles.toast} role="status" data-toast />
      <script type="module" src={script} />
    </div>
  );
}

function TopBar({ page }: { page: Page }) {
  return (
    <header className={styles.top}>
      <div className={styles.topIn}>
        <Brand to={paths.home} />
        <a className={styles.section} href={paths.docs}>
          Docs
        </a>
        <nav className={styles.links} aria-label="Documentation">
          {sections.map(([url, word]) => (
            <a key={url} href={url} aria-current={currency(page.url, url)}>
              {word}
            </a>
          ))}
        </nav>
        <button type="button" className={styles.find} aria-label="Search the docs" data-search hidden>
          <Icon name="search" />
          <span>Search the docs</span>
          <kbd>/</kbd>
        </button>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that nobody sees. */}
        <div className={styles.themes} role="group" aria-label="Theme" data-themes hidden>
          {(['light', 'dark', 'system'] as const).map((theme) => (
            <button key={theme} type="button" data-theme-choice={theme} aria-label={words[theme]}>
              <Icon name={icons[theme]} />
            </button>
          ))}
        </div>
        <a data-button="plain" href={paths.dashboard} target="_blank" rel="noopener">
          <span className={styles.open}>Open </span>Dashboard
        </a>
      </div>
    </header>
  );
}

/** The page itself, or a page below it. */
function currency(at: string, url: string): 'page' | 'true' | undefined {
  if (at === url) return 'page';
  return at.startsWith(`${url}/`) ? 'true' : undefined;
}

const words = { light: 'Light', dark: 'Dark', system: 'System' } as const;
const icons = { light: 'sun', dark: 'moon', system: 'monitor' } as const;

function PhoneBar({ page }: { page: Page }) {
  return (
    <nav className={styles.phone} aria-label="Menu">
      <a href="#tree" data-open-tree>
        <Icon name="menu" />
        <span>{page.crumbs.at(-1)}</span>
      </a>
      {page.toc.length > 0 && (
        <details>
          <summary>On this page</summary>
          <div>
            {page.toc.map(({ id, title }) => (
              <a key={id} href={`#${id}`}>
                {title}
              </a>
            ))}
          </div>
        </details>
      )}
    </nav>
  );
}

function Tree({ page }: { page: Page }) {
  return (
    <nav id="tree" className={styles.tree} aria-label="Pages" tabIndex={-1}>
      <div className={styles.treeHead}>
        <b>Documentation</b>
        <a className={styles.close} href="#content" aria-label="Close the menu" data-close-tree>
          <Icon name="x" />
        </a>
      </div>
      {page.tree.map((shelf) => (
        <div key={shelf.title}>
          <h2>{shelf.title}</h2>
          {shelf.pages.map(({ url, name }) => {
            const open = page.choices[0]?.url === url;
            return (
              <div key={url}>
                <a
                  href={url}
                  aria-current={url === page.url && !open ? 'page' : undefined}
                  data-open={open || undefined}
                >
                  {name}
                  {name === 'Go' && <span className="visually-hidden"> language</span>}
                </a>
                {open && <Choices page={page} />}
              </div>
            );
          })}
        </div>
      ))}
    </nav>
  );
}

function Choices({ page }: { page: Page }) {
  return (
    <div className={styles.sub}>
      {page.choices.map(({ slug, name, url }) => (
        <a key={slug} href={url} aria-current={slug === page.chosen ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </div>
  );
}

function Frameworks({ page }: { page: Page }) {
  if (page.choices.length === 0) return null;
  return (
    <nav className={styles.chips} aria-label="Framework">
      {page.choices.map(({ slug, name, url }) => (
        <a key={slug} href={url} aria-current={slug === page.chosen ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

function Crumbs({ page }: { page: Page }) {
  return (
    <nav className={styles.crumbs} aria-label="Breadcrumb">
      <a href={paths.docs}>
        <Icon name="chevron-left" />
        Docs
      </a>
      {page.crumbs.map((crumb) => (
        <span key={crumb}>{crumb}</span>
      ))}
    </nav>
  );
}

function OnThisPage({ page }: { page: Page }) {
  return (
    <aside className={styles.toc} aria-label="On this page">
      {page.toc.length > 0 && <h2>On this page</h2>}
      {page.toc.map(({ id, title }) => (
        <a key={id} href={`#${id}`}>
          {title}
        </a>
      ))}
      <div className={styles.more}>
        <button type="button" data-copy-page={`${page.url}.md`} hidden>
          <Icon name="copy" />
          <span>Copy as Markdown</span>
        </button>
        <a href={`${page.url}.md`}>
          <Icon name="link" />
          Read as Markdown
        </a>
      </div>
    </aside>
  );
}

function Ending({ page }: { page: Page }) {
  return (
    <footer className={styles.ending} data-pagefind-ignore>
      {!page.wide && (
        <nav className={styles.next} aria-label="Previous and next">
          {page.previous && (
            <a href={page.previous.url} rel="prev">
              <span>Previous</span>
              <b>{page.previous.name}</b>
            </a>
          )}
          {page.next && (
            <a href={page.next.url} rel="next" data-next>
              <span>Next</span>
              <b>{page.next.name}</b>
            </a>
          )}
        </nav>
      )}
      <nav className={styles.endline} aria-label="Sections">
        {landing.map(([anchor, word]) => (
          <a key={anchor} href={`/#${anchor}`}>
            {word}
          </a>
        ))}
      </nav>
      <p className={styles.endline}>
        <a href={page.edit}>Edit this page</a>
        <a href="/docs/tested">Every block was executed</a>
        <a href="/llms.txt">llms.txt</a>
        <a href={repository}>Source code</a>
      </p>
    </footer>
  );
}
