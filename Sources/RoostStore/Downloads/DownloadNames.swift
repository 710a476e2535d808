// SPDX-License-Identifier: Apache-2.0

internal import RoostSealing

/// The names and keys of downloaded files; with a master key neither reveals an address.
struct DownloadNames: Sendable {
    private let master: MasterKey?
    private let hash: KeyedHash?

    /// Creates names for encrypted files, or with nil for plaintext.
    init(_ master: MasterKey?) {
        self.master = master
        hash = master.map { KeyedHash(key: $0.derive(for: "roost file 1 name", salt: [])) }
    }

    var isSealed: Bool { master != nil }

    /// Returns the name of the file of an address: 40 hexadecimal digits, and in plaintext the
    /// extension in the address, by which apps recognise the kind.
    func name(of address: String) -> String {
        let bytes = Array(address.utf8)
        let digest = hash?.code(for: bytes) ?? .sha256(of: bytes)
        let digits = digest.prefix(20).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        return isSealed ? digits : digits + Self.fileExtension(address)
    }

    /// Returns the key of a file; nil for plaintext.
    ///
    /// The size is part of it, so a file that was cut between two pieces cannot be opened.
    func key(of address: String, size: Int64) -> [UInt8]? {
        key(of: address, Array("\(size)".utf8))
    }

    /// Returns the key of the version of a file; nil for plaintext.
    func versionKey(of address: String) -> [UInt8]? { key(of: address, []) }

    private func key(of address: String, _ more: [UInt8]) -> [UInt8]? {
        guard let master else { return nil }
        let salt = [UInt8].sha256(of: Array(address.utf8)) + more
        return unsafe master.derive(for: "roost file 1", salt: salt).withBytes { unsafe Array($0) }
    }

    /// Returns the extension in an address with its dot; "" for none that is short and plain.
    private static func fileExtension(_ address: String) -> String {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        let last = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return "" }
        let name = last[last.index(after: dot)...].lowercased()
        let isPlain = name.utf8.allSatisfy { 48...57 ~= $0 || 97...122 ~= $0 }
        // The endings of this folder's own files.
        guard isPlain, (1...8).contains(name.utf8.count), name != "part", name != "info" else {
            return ""
        }
        return ".\(name)"
    }
}
