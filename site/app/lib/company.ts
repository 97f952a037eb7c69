/** How to reach whoever makes Nightbell. */
export const company = {
  name: 'Nightbell',
  address: ['Lindenstrasse 14', '10969 Berlin, Germany'],
  salesEmail: 'sales@nightbell.example',
  supportEmail: 'support@nightbell.example',
  repository: 'https://github.com/nightbell/nightbell',
} as const;
