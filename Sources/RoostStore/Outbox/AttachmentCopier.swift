// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostExecutors
internal import RoostModel
internal import RoostSQLite

/// Copies files into the outbox's folder on a thread of its own, so that a film of two gigabytes
/// delays neither messages nor a suspension.
actor AttachmentCopier {
    private nonisolated let executor: any SerialExecutor
    /// The folder; nil in memory, where no file outlives the process.
    private let folder: AttachmentFolder?
    private nonisolated let isStopped = Guarded(false)

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(on executor: any SerialExecutor, to folder: AttachmentFolder?) {
        self.executor = executor
        self.folder = folder
    }

    /// Interrupts copying with an error, because the store closes.
    nonisolated func stop() { isStopped.withLock { $0 = true } }

    /// Returns a message with the copies of its files.
    ///
    /// The names of the copies contain the message's place and nothing else of it. An overlapping call
    /// with the same request ID has another place, so it does not touch these copies.
    ///
    /// - Throws: If a file cannot be read or copied; then no copy is left.
    func content(
        of params: FileMessageParams, at place: Int64, _ isSealed: Bool
    ) throws(StoreError) -> (OutboxContent, [CopiedFile]) {
        var params = params
        var copies: [CopiedFile?] = []
        for index in params.files.indices {
            let name = AttachmentFolder.newName(at: place, index)
            do throws(StoreError) {
                let copy = try copy(params.files[index], to: name, isSealed)
                copies.append(copy)
                if let copy {
                    params.files[index].size = ByteCount(bytes: copy.size)
                } else {
                    params.files[index].size = try Self.size(of: params.files[index])
                }
                // The bytes are in the copy now.
                if copy != nil, case .bytes = params.files[index].source {
                    params.files[index].source = .bytes([])
                }
                params.files[index].sealedCopy = nil
            } catch {
                folder?.delete(copies.compactMap { $0?.name } + [name])
                throw error
            }
        }
        return (.fileMessage(params, copies: copies), copies.compactMap { $0 })
    }

    private func copy(
        _ file: OutgoingFile, to name: String, _ isSealed: Bool
    ) throws(StoreError) -> CopiedFile? {
        guard let folder else { return nil }
        let copy: CopiedFile?
        do throws(FileError) {
            switch (file.source, file.sealedCopy) {
            case (.reference, _), (.url, _): return nil
            case (_, let sealed?): copy = try folder.copy(sealed, to: name, isSealed: isSealed)
            case (.copy(let path), nil):
                copy = try folder.copy(path, to: name, isSealed: isSealed) {
                    isStopped.withLock { $0 }
                }
            case (.bytes(let bytes), nil):
                copy = try folder.copy(bytes, to: name, isSealed: isSealed)
            }
        } catch {
            throw StoreError(error, attaching: file.name)
        }
        if let copy { return copy }
        // A file in plaintext that cannot be read is an error of its own above.
        throw isStopped.withLock { $0 } ? .closed : StoreError(changed: file.name)
    }

    /// Returns the bytes of a file.
    func contents(of file: OutgoingFile) throws(StoreError) -> [UInt8] { try file.contents() }

    private static func size(of file: OutgoingFile) throws(StoreError) -> ByteCount? {
        switch file.source {
        case .copy, .reference, .bytes:
            do {
                return ByteCount(bytes: try AttachmentReader(file).size)
            } catch {
                throw StoreError(error, attaching: file.name)
            }
        case .url: return file.size
        }
    }
}
