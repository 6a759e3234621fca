/** What a browser keeps between visits: documents, each whole or not at all, and the files of their characters. */
import type { CharacterFile } from '../../character/character.js';

/** A document as it is kept. */
export interface KeptRecord {
  readonly id: string;
  /** ms since 1970. */
  readonly savedAt: number;
  /** Name of its character. */
  readonly title: string;
  /** A project less the contents of files: whatever is read back is checked. */
  readonly project: unknown;
  /** Key of the files of its character; empty for none. */
  readonly files: string;
  /** The pose of a drag that was not let go, and what it is called. */
  readonly unfinished?: { readonly label: string; readonly pose: readonly number[] } | undefined;
}

export interface Shelf {
  /** Writes a record, and the files under its key where they are given, both or none. */
  put(record: KeptRecord, files: readonly CharacterFile[] | undefined): Promise<void>;
  /** A record with the contents of its files. */
  get(id: string): Promise<{ readonly record: KeptRecord; readonly files: unknown } | undefined>;
  /** Ids of the records, the last saved first. */
  ids(): Promise<string[]>;
  /** All records, without contents of files. */
  all(): Promise<readonly KeptRecord[]>;
  delete(id: string): Promise<void>;
  /** Deletes files that no record names. */
  tidy(): Promise<void>;
}

const NAME = 'poise-studio';
const VERSION = 1;
/** Time in which a browser opens its store, ms. Some never answer. */
const TIMEOUT = 4000;

/**
 * The shelf of the browser.
 * @throws Error where it keeps nothing, or was filled by a newer studio, in words.
 */
export async function openShelf(): Promise<Shelf> {
  const database = await openDatabase();
  // Another tab with a newer studio waits for this one to let go.
  database.onversionchange = () => database.close();
  const begin = (mode: IDBTransactionMode) => {
    const transaction = database.transaction(['documents', 'files'], mode);
    return {
      transaction,
      documents: transaction.objectStore('documents'),
      files: transaction.objectStore('files'),
    };
  };
  return {
    put: (record, content) => {
      const { transaction, documents, files } = begin('readwrite');
      if (content !== undefined) files.put({ id: record.files, content });
      documents.put(record);
      // A page that is being left hears no more of it.
      transaction.commit();
      return ended(transaction);
    },
    get: async (id) => {
      const { documents, files } = begin('readonly');
      const record: KeptRecord | undefined = await answer(documents.get(id));
      if (record === undefined) return undefined;
      const found = record.files === '' ? undefined : await answer(files.get(record.files));
      return { record, files: found?.content };
    },
    ids: async () => {
      const { documents } = begin('readonly');
      const keys = await answer(documents.index('savedAt').getAllKeys());
      return keys.map(String).reverse();
    },
    all: () => answer<KeptRecord[]>(begin('readonly').documents.getAll()),
    delete: async (id) => {
      const { transaction, documents } = begin('readwrite');
      documents.delete(id);
      await ended(transaction);
    },
    tidy: async () => {
      const { transaction, documents, files } = begin('readwrite');
      const named = documents.index('files');
      for (const key of await answer(files.getAllKeys())) {
        if ((await answer(named.count(key))) === 0) files.delete(key);
      }
      await ended(transaction);
    },
  };
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    // Some browsers throw in private windows, others have none.
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      const documents = request.result.createObjectStore('documents', { keyPath: 'id' });
      documents.createIndex('savedAt', 'savedAt');
      documents.createIndex('files', 'files');
      request.result.createObjectStore('files', { keyPath: 'id' });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error('blocked'));
    setTimeout(() => reject(new Error('no answer')), TIMEOUT);
  });
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function ended(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
    transaction.onerror = () => reject(transaction.error);
  });
}
