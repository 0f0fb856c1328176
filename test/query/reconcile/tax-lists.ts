/** The header lines of the registers, as the tax authority writes them. */
const PURCHASES =
  'Nro;Tipo Doc;Tipo Compra;RUT Proveedor;Razon Social;Folio;Fecha Docto;Fecha Recepcion;Fecha Acuse;Monto Exento;Monto Neto;' +
  'Monto IVA Recuperable;Monto Iva No Recuperable;Codigo IVA No Rec.;Monto Total;Monto Neto Activo Fijo;IVA Activo Fijo;' +
  'IVA uso Comun;Impto. Sin Derecho a Credito;IVA No Retenido;Tabacos Puros;Tabacos Cigarrillos;Tabacos Elaborados;' +
  'NCE o NDE sobre Fact. de Compra;Codigo Otro Impuesto;Valor Otro Impuesto;Tasa Otro Impuesto';
const SALES =
  'Nro;Tipo Doc;Tipo Venta;Rut cliente;Razon Social;Folio;Fecha Docto;Fecha Recepcion;Fecha Acuse Recibo;Fecha Reclamo;' +
  'Monto Exento;Monto Neto;Monto IVA;Monto total;IVA Retenido Total;IVA Retenido Parcial;IVA no retenido;IVA propio;IVA Terceros;' +
  'RUT Emisor Liquid. Factura;Neto Comision Liquid. Factura;Exento Comision Liquid. Factura;IVA Comision Liquid. Factura;' +
  'IVA fuera de plazo;Tipo Docto. Referencia;Folio Docto. Referencia;Num. Ident. Receptor Extranjero;Nacionalidad Receptor Extranjero;' +
  'Credito empresa constructora;Impto. Zona Franca (Ley 18211);Garantia Dep. Envases;Indicador Venta sin Costo;' +
  'Indicador Servicio Periodico;Monto No facturable;Total Monto Periodo;Venta Pasajes Transporte Nacional;' +
  'Venta Pasajes Transporte Internacional;Numero Interno;Codigo Sucursal;NCE o NDE sobre Fact. de Compra;Codigo Otro Imp.;' +
  'Valor Otro Imp.;Tasa Otro Imp.';

export type RegisterKind = 'registro' | 'no incluir' | 'reclamado' | 'pendiente' | 'sales';

/** The headings of a register, in their order. */
export function headingsOf(kind: RegisterKind): string[] {
  if (kind === 'sales') return SALES.split(';');
  const all = PURCHASES.split(';');
  if (kind === 'registro') return all;
  const others = all.filter((heading) => !heading.startsWith('Tabacos'));
  if (kind === 'reclamado')
    return others.map((heading) => (heading === 'Fecha Acuse' ? 'Fecha Reclamo' : heading));
  return kind === 'pendiente' ? others.filter((heading) => heading !== 'Fecha Acuse') : others;
}

/** A document of a register: its cells by heading, those of the counterparty and the total by what they are. */
export interface Listed {
  readonly type?: number | string;
  readonly rut?: string;
  readonly name?: string;
  readonly number?: number | string;
  readonly date?: string;
  readonly total?: number | string;
  readonly net?: number | string;
  readonly tax?: number | string;
  readonly exempt?: number | string;
  /** Further cells by heading. */
  readonly more?: Readonly<Record<string, string | number>>;
  /** Cells behind those of the headings. */
  readonly behind?: readonly (string | number)[];
}

/** The line of a document, with an empty cell behind the last one, as real files have it. */
export function lineOf(kind: RegisterKind, nth: number | '', listed: Listed): string {
  const isSale = kind === 'sales';
  const cells: Record<string, string | number> = {
    Nro: nth,
    'Tipo Doc': listed.type ?? 33,
    [isSale ? 'Tipo Venta' : 'Tipo Compra']: 'Del Giro',
    [isSale ? 'Rut cliente' : 'RUT Proveedor']: listed.rut ?? '76123456-7',
    'Razon Social': listed.name ?? 'Roble SpA',
    Folio: listed.number ?? 1,
    'Fecha Docto': listed.date ?? '15/10/2026',
    'Fecha Recepcion': '16/10/2026 10:22:33',
    'Fecha Acuse': '17/10/2026 08:00:00',
    'Fecha Reclamo': 'null',
    'Monto Exento': listed.exempt ?? '',
    'Monto Neto': listed.net ?? '',
    [isSale ? 'Monto IVA' : 'Monto IVA Recuperable']: listed.tax ?? '',
    [isSale ? 'Monto total' : 'Monto Total']: listed.total ?? 1190,
    ...listed.more,
  };
  return [...headingsOf(kind).map((heading) => cells[heading] ?? ''), ...(listed.behind ?? []), ''].join(';');
}

/** A register as a file. */
export function register(kind: RegisterKind, documents: readonly Listed[]): string {
  const lines = documents.map((listed, index) => lineOf(kind, index + 1, listed));
  return [headingsOf(kind).join(';'), ...lines, ''].join('\r\n');
}
