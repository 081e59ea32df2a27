/**
 * mcp: public door of the module.
 *
 * @module
 */

export {};
