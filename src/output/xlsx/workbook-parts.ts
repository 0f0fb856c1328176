import { xmlAttribute, xmlText } from './xml-text.ts';

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
