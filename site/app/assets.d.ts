// Like vite/client, but a CSS module gives each class by name, so that the bundler writes the name where it
// is used and leaves the rest out. testing/styles.test.ts holds that every name exists.
/// <reference types="vite/types/importMeta.d.ts" />

declare module '*.module.css';
declare module '*.css' {}
declare module '*.svg' {
  const address: string;
  // biome-ignore lint/style/noDefaultExport: that is how Vite gives the address of a file.
  export default address;
}

// A script that is built as a file of its own.
declare module '*?worker&url' {
  const address: string;
  // biome-ignore lint/style/noDefaultExport: that is how Vite gives the address of a file.
  export default address;
}
