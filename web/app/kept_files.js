// Copies of uploaded files in this browser. The server deletes uploads after an hour and when it
// ends; the browser then sends them again.
//   await keep(id, file); await fileOf(id) -> { file, name } or undefined
const most = 4;  // number of files (chosen: each has at most 64 MB)

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

async function table(access) {
  const opening = indexedDB.open("ridgewatt", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("files", { keyPath: "id" });
  return (await done(opening)).transaction("files", access).objectStore("files");
}

export async function keep(id, file) {
  try {
    const files = await table("readwrite");
    await done(files.put({ id, file, name: file.name, at: Date.now() }));
    const all = (await done(files.getAll())).sort((a, b) => b.at - a.at);
    await Promise.all(all.slice(most).map((old) => done(files.delete(old.id))));
  } catch { /* private window: no copy is kept */ }
}

export async function fileOf(id) {
  try {
    return await done((await table("readonly")).get(id));
  } catch {
    return undefined;
  }
}
