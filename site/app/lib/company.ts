/** Where the program itself is kept. */
export const repository = 'https://github.com/nightbell/nightbell';

/** Whoever runs this installation, as its public pages name them. */
interface Company {
  name: string;
  /** As on an envelope, with line breaks. */
  address: string;
  salesEmail: string;
  supportEmail: string;
}

// A sample. The server writes what it was told into the page, never into scripts: those are kept for a year.
const sample: Company = {
  name: 'Nightbell',
  address: 'Lindenstrasse 14\n10969 Berlin, Germany',
  salesEmail: 'sales@nightbell.example',
  supportEmail: 'support@nightbell.example',
};

/** The name of the meta element that carries it, and of the attribute that marks where it is shown. */
export const companyMeta = 'company';

/** What that element says, to the letter, so that the page and what is drawn over it agree. */
export function companyText(): string {
  const written =
    typeof document === 'undefined'
      ? undefined
      : document.querySelector<HTMLMetaElement>(`meta[name="${companyMeta}"]`)?.content;
  return written ?? JSON.stringify(sample);
}

export function company(): Company {
  return JSON.parse(companyText()) as Company;
}
