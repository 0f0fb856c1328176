import { pageOf } from '../../support/scripted-run.ts';

/** Five invoices in two currencies; one without a due date, one with a number that no double holds. */
export const INVOICES = [
  '{"id":"a","number":1,"status":"PAID","dueBy":"2026-10-01","currency":"CLP","totalAmount":1000,"customer":{"name":"Roble"}}',
  '{"id":"b","number":2,"status":"OVERDUE","dueBy":"2026-11-01T00:00:00Z","currency":"CLP","totalAmount":250.50,"customer":{"name":"Ñandú"}}',
  '{"id":"c","number":3,"status":"OVERDUE","dueBy":null,"currency":"USD","totalAmount":0.10,"customer":{"name":"Roble Sur"}}',
  '{"id":"d","number":4,"status":"PAID","dueBy":"2026-12-01","currency":"USD","totalAmount":0.20,"customer":{"name":"Roble"}}',
  '{"id":"e","number":5,"status":"OVERDUE","dueBy":"2026-09-01","currency":"CLP","totalAmount":9007199254740993,"customer":{"name":"Lago"}}',
];

export const PAGE = pageOf(INVOICES);
