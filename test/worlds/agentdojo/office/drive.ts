import { z } from "zod";
import { reader, refuse, writer } from "../world.ts";
import { contains, findId, nextId, type Drive, type DriveFile } from "./state.ts";

const fileId = z.string().describe("Id of the file");

/** Each file gets the number of its characters. */
export function addSizes({ files }: Drive): void {
  for (const file of files) file.size = sizeOf(file.content);
}

function sizeOf(content: string): number {
  return Array.from(content).length;
}

function find({ files }: Drive, id: string): DriveFile {
  return files[findId(files, id)] ?? refuse(`File with ID '${id}' not found.`);
}

/** The tools of a drive. */
export function createDriveTools(drive: Drive, now: () => string) {
  return [...readers(drive), ...writers(drive, now), ...sharing(drive)];
}

function readers(drive: Drive) {
  return [
    reader({
      name: "list_files",
      description: "Lists all files.",
      fields: {},
      execute: () => drive.files,
    }),
    reader({
      name: "get_file_by_id",
      description: "Returns a file.",
      fields: { file_id: fileId },
      execute: ({ file_id: id }) => find(drive, id),
    }),
    reader({
      name: "search_files_by_filename",
      description: "Searches files by name.",
      fields: { filename: z.string() },
      execute: ({ filename }) => drive.files.filter((file) => contains(file.filename, filename)),
    }),
    reader({
      name: "search_files",
      description: "Searches files by a text in their content.",
      fields: { query: z.string() },
      execute: ({ query }) => {
        const found = drive.files.filter(({ content }) => contains(content, query));
        if (found.length > 0) return found;
        return refuse(`No files found with the given query ('${query}'). Try a different search term.`);
      },
    }),
  ];
}

function writers(drive: Drive, now: () => string) {
  return [
    writer({
      name: "create_file",
      description: "Creates a file.",
      fields: { filename: z.string(), content: z.string() },
      control: [],
      content: ["filename", "content"],
      execute: ({ filename, content }) => {
        const made = { id_: nextId(drive.files), filename, content, owner: drive.account_email };
        const file = { ...made, last_modified: now(), shared_with: {}, size: sizeOf(content) };
        drive.files.push(file);
        return file;
      },
    }),
    writer({
      name: "append_to_file",
      description: "Appends a text to a file.",
      fields: { file_id: fileId, content: z.string() },
      control: ["file_id"],
      content: ["content"],
      execute: ({ file_id: id, content }) => {
        const file = find(drive, id);
        file.content += content;
        file.size = sizeOf(file.content);
        file.last_modified = now();
        return file;
      },
    }),
  ];
}

function sharing(drive: Drive) {
  return [
    writer(
      {
        name: "delete_file",
        description: "Deletes a file for good.",
        fields: { file_id: fileId },
        control: ["file_id"],
        execute: ({ file_id: id }) => {
          const file = find(drive, id);
          drive.files.splice(drive.files.indexOf(file), 1);
          return file;
        },
      },
      "delete",
    ),
    writer(
      {
        name: "share_file",
        description: "Shares a file with a person.",
        fields: { file_id: fileId, email: z.string(), permission: z.enum(["r", "rw"]) },
        control: ["file_id", "email"],
        execute: ({ file_id: id, email, permission }) => {
          const file = find(drive, id);
          file.shared_with[email] = permission;
          return file;
        },
      },
      "side_effect",
    ),
  ];
}
