/**
 * Pages of a list: `page` and `per_page` in, figures of all pages out.
 *
 * @module
 */
import { COUNT, objectOf, type ValueOf } from "../schema.ts";

/** Most items of a page. */
const MAX_PER_PAGE = 100;
const DEFAULT_PER_PAGE = 25;
/** Keeps the offset a number that the database takes. */
const MAX_PAGE = 1_000_000;

/** Schemas of the two arguments. */
export const PAGE_INPUT = {
  page: {
    type: "integer",
    minimum: 1,
    maximum: MAX_PAGE,
    description: "Which page, from 1",
  },
  per_page: {
    type: "integer",
    minimum: 1,
    maximum: MAX_PER_PAGE,
    description: `Items of a page, ${DEFAULT_PER_PAGE} by default`,
  },
} as const;

/** The figures beside a page. */
export const PAGINATION = objectOf({
  page: COUNT,
  per_page: COUNT,
  total_count: COUNT,
  total_pages: COUNT,
});

/** A page that was asked for. */
export interface PageRequest {
  readonly page: number;
  readonly limit: number;
  readonly offset: number;
}

/** Reads the arguments. */
export function pageOf(
  { page = 1, per_page: limit = DEFAULT_PER_PAGE }: {
    readonly page?: number | undefined;
    readonly per_page?: number | undefined;
  },
): PageRequest {
  return { page, limit, offset: (page - 1) * limit };
}

/** The figures beside a page. */
export function paginationOf(
  { page, limit }: PageRequest,
  total: number,
): ValueOf<typeof PAGINATION> {
  return {
    page,
    per_page: limit,
    total_count: total,
    total_pages: Math.ceil(total / limit),
  };
}
