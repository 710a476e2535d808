// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostWire

/// Takes a form as it comes: its texts are gathered, its files go to where uploads lie.
///
/// Whoever makes one calls `finish` or `drop`, or begun files stay until the next start.
package actor FormReceiver {
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

    /// With a `refusal` it takes nothing in, and `finish` tells of it.
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

    /// Takes the next bytes; after a mistake they are dropped, and `finish` tells of it.
    package func receive(_ bytes: [UInt8]) async {
        guard failure == nil else { return }
        do throws(ServerError) {
            for event in try reader?.read(bytes) ?? [] { try await take(event) }
        } catch {
            await fail(error)
        }
    }

    /// The form, or what was wrong with it; what nobody keeps of its files must be dropped.
    package func finish() async -> Result<ReceivedForm, ServerError> {
        if failure == nil, reader?.isWhole != true { await fail(MultipartReader.malformed) }
        if let failure { return .failure(failure) }
        endPart()
        return .success(form)
    }

    /// Forgets the files of a form that does not come to its end.
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
                    RoostError.Code(900_066), "A file may have \(fileLimitMB) MiB at most.")
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

    /// Whether a text is a plain content type, which cannot smuggle another header.
    private static func isType(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 100
            && text.utf8.allSatisfy { (33...126).contains($0) || $0 == 32 }
    }
}
