// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Roost
package import RoostModel

/// The origin of a file in the parameters of the old libraries: bytes, an address, or the file of a
/// message that has parameters already.
package struct FileOrigin: Sendable {
    private enum Source: Sendable {
        case none
        case bytes(Data)
        case address(String)
        case kept(OutgoingFile)
    }

    private var source = Source.none

    package init() {}

    package init(bytes: Data) { source = .bytes(bytes) }

    package init(address: String) { source = .address(address) }

    /// The origin of a file of a message; none for a file without an address.
    package init(_ file: OutgoingFile) {
        if case .url("") = file.source { return }
        source = .kept(file)
    }

    /// Whether there is no file to be sent.
    package var isEmpty: Bool {
        switch source {
        case .none: true
        case .address(let address): address.isEmpty
        case .bytes, .kept: false
        }
    }

    /// The bytes; those of an unsent message are read from the disk, on the calling thread.
    ///
    /// Nil for a file at a network address, and for one that cannot be read. A new value replaces
    /// the address.
    package var bytes: Data? {
        get {
            switch source {
            case .bytes(let bytes): bytes
            case .kept(let file): file.hasContents ? file.readNow().map { Data($0) } : nil
            case .none, .address: nil
            }
        }
        set {
            if let newValue {
                source = .bytes(newValue)
            } else if case .bytes = source {
                source = .none
            }
        }
    }

    /// The network address, or the path on this device; nil for bytes.
    ///
    /// A new value replaces them.
    package var address: String? {
        get {
            switch source {
            case .address(let address): address
            case .kept(let file): file.address.isEmpty ? nil : file.address
            case .none, .bytes: nil
            }
        }
        set {
            if let newValue {
                source = .address(newValue)
            } else if address != nil {
                source = .none
            }
        }
    }

    /// Returns the file to be sent; a size of 0 stands for the size of the file itself.
    package func file(
        name: String?, type: String?, size: UInt, thumbnailSizes: [OutgoingFile.ThumbnailSize]
    ) -> OutgoingFile {
        var file =
            switch source {
            case .kept(let file): file
            case .none: OutgoingFile(.init(address: ""), name: "")
            case .bytes(let bytes): OutgoingFile(.bytes(Array(bytes)), name: "")
            case .address(let address): OutgoingFile(.init(address: address), name: "")
            }
        file.name = name ?? ""
        file.type = type ?? "application/octet-stream"
        file.size = size == 0 ? nil : ByteCount(bytes: Int64(clamping: size))
        file.thumbnailSizes = thumbnailSizes
        return file
    }
}
