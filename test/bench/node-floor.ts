/* `node-floor <url> <pages>`: where there is no curl; every page, eight at once, inflated and thrown away. */

const [url, pages] = process.argv.slice(2);
let next = 0;

async function read(): Promise<void> {
  while (next < Number(pages)) await (await fetch(`${url}${next++}`)).arrayBuffer();
}

await Promise.all(Array.from({ length: 8 }, read));
