// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostWire

/// The reader of a form while it arrives: texts stay in memory, files go to the store.
///
/// Each receiver ends with `finish` or `drop`; otherwise begun files stay until the next start.
package actor FormReceiver {
    /// The files in one form; no call keeps more than one.
    private static let fileParts = 2

    private let files: any FileStore
    private let fileLimitMB: Int
    private let textLimit: Int
    private let makeID: @Sendable () -> String

    private var reader: MultipartReader?
    private var form = ReceivedForm()
    private var part: MultipartReader.Part?
    private var text: [UInt8] = []
    private var textBytes = 0
    private var failure: ServerError?

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps the store, whose executor this is: a piece costs one change of threads.
        unsafe files.unownedExecutor
    }

    /// Makes a receiver; with a `refusal` it drops the form, and `finish` returns the refusal.
    init(
        contentType: String, files: any FileStore, refusal: ServerError?, fileLimitMB: Int,
        textLimit: Int, makeID: @escaping @Sendable () -> String
    ) {
        self.files = files
        self.fileLimitMB = fileLimitMB
        self.textLimit = textLimit
        self.makeID = makeID
        failure = refusal
        do throws(ServerError) {
            reader = try MultipartReader(contentType: contentType)
        } catch {
            failure = refusal ?? error
        }
    }

    /// Takes the next bytes; after an error they are dropped, and `finish` returns the error.
    package func receive(_ bytes: [UInt8]) async {
        guard failure == nil else { return }
        do throws(ServerError) {
            for event in try reader?.read(bytes) ?? [] { try await take(event) }
        } catch {
            await fail(error)
        }
    }

    /// Returns the form, or the error in it; the caller drops the files that it does not keep.
    package func finish() async -> Result<ReceivedForm, ServerError> {
        if failure == nil, reader?.isWhole != true { await fail(MultipartReader.malformed) }
        if let failure { return .failure(failure) }
        endPart()
        return .success(form)
    }

    /// Drops the files of an incomplete form.
    package func drop() async {
        for file in form.files { await files.drop(file.id) }
        form.files = []
    }

    private func fail(_ error: ServerError) async {
        failure = error
        await drop()
    }

    private func take(_ event: MultipartReader.Event) async throws(ServerError) {
        switch event {
        case .part(let new):
            endPart()
            part = new
            guard let fileName = new.fileName else { return }
            guard form.files.count < Self.fileParts else {
                throw ServerError(
                    .tooManyItems,
                    "A form may have \(Self.fileParts) files at most.")
            }
            let id = makeID()
            form.files.append(
                ReceivedForm.File(part: new.name, fileName: fileName, id: id, byteCount: 0))
            let type = Self.isType(new.type) ? new.type : "application/octet-stream"
            try await store { store throws(StorageError) in try await store.begin(id, type: type) }
        case .bytes(let bytes):
            guard part?.fileName != nil else {
                textBytes += bytes.count
                guard textBytes <= textLimit else {
                    throw ServerError(
                        .valueLength, "A form's texts may have \(textLimit) bytes at most.")
                }
                text += bytes
                return
            }
            let last = form.files.count - 1
            form.files[last].byteCount += bytes.count
            guard form.files[last].byteCount <= fileLimitMB * 1_048_576 else {
                throw ServerError(
                    .fileRefused, "A file may have \(fileLimitMB) MiB at most.")
            }
            let id = form.files[last].id
            try await store { store throws(StorageError) in try await store.append(bytes, to: id) }
        }
    }

    private func endPart() {
        if let part, part.fileName == nil {
            form.texts.append(QueryItem(part.name, String(decoding: text, as: UTF8.self)))
        }
        part = nil
        text = []
    }

    private func store(
        _ call: (any FileStore) async throws(StorageError) -> Void
    ) async throws(ServerError) {
        do throws(StorageError) {
            try await call(files)
        } catch {
            throw ServerError(
                .internalServerError, "The server could not keep the file; try again later.")
        }
    }

    /// Whether a text is a plain content type, without the start of another header.
    private static func isType(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 100
            && text.utf8.allSatisfy { (33...126).contains($0) || $0 == 32 }
    }
}
