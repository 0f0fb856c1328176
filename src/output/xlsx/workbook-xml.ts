const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Where the sheet of this number, from 1, is in the workbook's archive. */
export function sheetPath(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

/** A sheet as the workbook knows it. */
interface NamedSheet {
  readonly name: string;
  /** The cells of its filter, such as `$A$1:$C$9`, if it has one. */
  readonly range: string | undefined;
}

/** What each file of the archive is. */
export function contentTypesXml(sheets: number): string {
  const parts = numbers(sheets).map((number) => override(sheetPath(number), 'worksheet'));
  return (
    `${DECLARATION}<Types xmlns="${PACKAGE}/content-types">` +
    `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
    `${override('xl/workbook.xml', 'sheet.main')}${override('xl/styles.xml', 'styles')}${parts.join('')}</Types>`
  );
}

/** Which file of the archive is the workbook. */
export function packageRelationsXml(): string {
  return relationsXml([['officeDocument', 'xl/workbook.xml']]);
}

/** The list of sheets. LibreOffice shows the buttons of a filter only if the filter is named here too. */
export function workbookXml(sheets: readonly NamedSheet[]): string {
  const elements = sheets.map(
    ({ name }, index) =>
      `<sheet name="${xmlAttribute(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  const filters = sheets.map(({ name, range }, index) => {
    if (range === undefined) return '';
    const cells = xmlText(`'${name.replaceAll("'", "''")}'!${range}`);
    return `<definedName name="_xlnm._FilterDatabase" localSheetId="${index}" hidden="1">${cells}</definedName>`;
  });
  const names = filters.join('');
  return (
    `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><bookViews><workbookView/></bookViews>` +
    `<sheets>${elements.join('')}</sheets>${names && `<definedNames>${names}</definedNames>`}</workbook>`
  );
}

/** Where in the archive the workbook finds its sheets and styles. */
export function workbookRelationsXml(sheets: number): string {
  const targets = numbers(sheets).map((number): [string, string] => [
    'worksheet',
    sheetPath(number).slice('xl/'.length),
  ]);
  return relationsXml([...targets, ['styles', 'styles.xml']]);
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function relationsXml(targets: readonly (readonly [type: string, target: string])[]): string {
  const elements = targets.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${DOCUMENT}/${type}" Target="${target}"/>`,
  );
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${elements.join('')}</Relationships>`;
}

function override(path: string, type: string): string {
  return `<Override PartName="/${path}" ContentType="${TYPE}.${type}+xml"/>`;
}

/**
 * What cannot stand in XML as it is: markup; characters that XML 1.0 does not allow (in Unicode mode the surrogates are
 * lone ones); a carriage return, which readers turn into a line feed; and text that looks like an escape of the format.
 */
const SPECIAL = /[&<>\ufffe\uffff\p{Cs}]|(?![\t\n\u0080-\u009f])\p{Cc}|_x[0-9A-Fa-f]{4}_/gu;

/** A space, tab or line feed that XML readers would leave out. */
const SPACE_TO_KEEP = /^\s|\s$|\n|\t| {2}/;

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Text for the content of an element. Characters that XML cannot hold become `_x001B_` (ECMA-376, ST_Xstring). */
function xmlText(text: string): string {
  return text.replace(
    SPECIAL,
    (found) => MARKUP[found] ?? (found.length > 1 ? `_x005F${found}` : hexEscape(found)),
  );
}

/** Text for an attribute in double quotes. */
export function xmlAttribute(text: string): string {
  return xmlText(text).replaceAll('"', '&quot;');
}

/** A string of a cell as an element of its own. It is never a formula, whatever it begins with. */
export function inlineString(text: string): string {
  return `<is><t${SPACE_TO_KEEP.test(text) ? ' xml:space="preserve"' : ''}>${xmlText(text)}</t></is>`;
}

function hexEscape(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
}
