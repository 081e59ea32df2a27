/**
 * `/board/categories`: under what names sessions stand on the board, and in
 * which order.
 *
 * @module
 */
import {
  createCategory,
  deleteCategory,
  FleetRefusalError,
  listCategories,
  reorderCategories,
  UNRESTRICTED,
  updateCategory,
} from "../../../fleet/mod.ts";
import type { Category } from "../../../store/around_sessions/mod.ts";
import type { Services } from "../../services.ts";
import type { FormCall, PageCall } from "../door.ts";
import { figure, longText, text } from "../format.ts";
import { type Page, type PageStatus, PATHS } from "../layout.ts";
import { type Html, markup } from "../markup.ts";
import { note, state } from "../parts.ts";
import { fieldOf, type FormFields } from "../read_form.ts";
import { refusalOf } from "../refusal_page.ts";

/** What a form was refused with, and what was written in it. */
interface Refused {
  readonly message: string;
  readonly fields: FormFields;
}

/** The page. @throws {StoreUnavailableError} No answer. */
export async function categoriesPage(
  services: Services,
  { person }: Pick<PageCall, "person">,
  { refused, status = 200 }: {
    readonly refused?: Refused;
    readonly status?: PageStatus;
  } = {},
): Promise<Page> {
  const { categories, uncategorized } = await listCategories(services);
  const mayWrite = person.barred === undefined;
  const last = categories.length - 1;
  return {
    title: "Categories",
    status,
    body: markup`
<p class="muted"><a href="${PATHS.board}">Board</a></p>
${
      refused !== undefined &&
      markup`<div role="alert">${note("bad", text(refused.message))}</div>`
    }
${
      categories.length === 0
        ? markup`<p class="empty">There is no category: all sessions stand together.</p>`
        : markup`<ol class="notices">${
          categories.map((one, at) =>
            item(one, { mayWrite, isFirst: at === 0, isLast: at === last })
          )
        }</ol>`
    }
<p class="muted">Sessions in no category: ${figure(uncategorized.sessions)}</p>
${mayWrite && newForm(refused?.fields)}`,
  };
}

/** Changes them: the page again, or what is wrong and was written. */
export async function changeCategories(
  services: Services,
  call: FormCall,
): Promise<Page | string> {
  try {
    await change(services, call.fields);
    return PATHS.categories;
  } catch (error) {
    const message = refusalOf(error);
    if (message === undefined) throw error;
    return await categoriesPage(services, call, {
      refused: { message, fields: call.fields },
      status: 409,
    });
  }
}

async function change(
  services: Services,
  fields: FormFields,
): Promise<unknown> {
  const id = Number(fieldOf(fields, "id") ?? 0);
  const name = fieldOf(fields, "name") ?? "";
  const description = fieldOf(fields, "description") ?? "";
  switch (fieldOf(fields, "do")) {
    case "create":
      return await createCategory(services, UNRESTRICTED, {
        name,
        description,
      });
    case "save":
      return await updateCategory(services, UNRESTRICTED, id, {
        name,
        description,
      });
    case "freeze":
      return await updateCategory(services, UNRESTRICTED, id, {
        isFrozen: true,
      });
    case "thaw":
      return await updateCategory(services, UNRESTRICTED, id, {
        isFrozen: false,
      });
    case "up":
      return await move(services, id, -1);
    case "down":
      return await move(services, id, 1);
    case "delete":
      return await deleteCategory(services, UNRESTRICTED, id);
    default:
      throw new FleetRefusalError(
        "bad_argument",
        "The form asks for nothing that this page does. Nothing was changed",
      );
  }
}

/** Lets it and the one beside it take each other's places. */
async function move(
  services: Services,
  id: number,
  by: 1 | -1,
): Promise<void> {
  const { categories } = await listCategories(services);
  const at = categories.findIndex((one) => one.id === id);
  const other = categories[at + by];
  // At an end already, or somebody deleted it: the page shows what is so.
  if (at < 0 || other === undefined) return;
  const pair = by === -1 ? [id, other.id] : [other.id, id];
  await reorderCategories(services, UNRESTRICTED, pair.map(String));
}

function item(
  { id, name, description, isFrozen, sessions }: Category,
  { mayWrite, isFirst, isLast }: {
    readonly mayWrite: boolean;
    readonly isFirst: boolean;
    readonly isLast: boolean;
  },
): Html {
  const button = (wish: string, label: string) =>
    markup`<button name="do" value="${wish}" class="quiet" aria-label="${label}: ${name}">${label}</button>`;
  const hidden = markup`<input type="hidden" name="id" value="${id}">`;
  return markup`<li class="panel">
<p><strong>${text(name)}</strong> ${
    isFrozen && state("Frozen", "calm")
  } <span class="muted">sessions: ${figure(sessions)}</span></p>
${description !== null && markup`<p class="long">${longText(description)}</p>`}
${
    mayWrite &&
    markup`<form class="buttons" method="post" action="${PATHS.categories}">${hidden}${
      !isFirst && button("up", "Up")
    }${!isLast && button("down", "Down")}${
      isFrozen ? button("thaw", "Thaw") : button("freeze", "Freeze")
    }</form>
<details><summary>Rename or delete<span class="unseen"> ${
      text(name)
    }</span></summary>
<form class="write" method="post" action="${PATHS.categories}">${hidden}
  <label for="name${id}">Name</label>
  <input id="name${id}" name="name" value="${name}" maxlength="100" required dir="auto">
  <label for="description${id}">What belongs there</label>
  <textarea id="description${id}" name="description" rows="2" maxlength="1000" dir="auto">${description}</textarea>
  ${button("save", "Save")}
</form>
<form method="post" action="${PATHS.categories}">${hidden}<p>Its sessions stand in no category then.</p>${
      button("delete", "Delete")
    }</form></details>`
  }</li>`;
}

function newForm(fields: FormFields | undefined): Html {
  const isAgain = fields !== undefined && fieldOf(fields, "do") === "create";
  const given = (name: string) => isAgain ? fieldOf(fields, name) : undefined;
  return markup`
<section class="panel" aria-labelledby="h-new"><h2 id="h-new">A new one</h2>
<form class="write" method="post" action="${PATHS.categories}">
  <label for="name">Name</label>
  <input id="name" name="name" value="${
    given("name")
  }" maxlength="100" required dir="auto">
  <label for="description">What belongs there</label>
  <textarea id="description" name="description" rows="2" maxlength="1000" dir="auto">${
    given("description")
  }</textarea>
  <button name="do" value="create">Add</button>
</form>
<p class="muted">Sessions of a frozen category are left alone when all are refreshed.</p></section>`;
}
