// SPDX-License-Identifier: Apache-2.0

// A stand-in, see README.md: Foundation's parts for Apple platforms only.

internal import Foundation

struct FileProtectionType: Hashable, Sendable {
    static let completeUnlessOpen = FileProtectionType()
    static let completeUntilFirstUserAuthentication = FileProtectionType()
}

extension FileAttributeKey {
    static var protectionKey: FileAttributeKey { FileAttributeKey(rawValue: "") }
}

extension URL {
    static var applicationSupportDirectory: URL { URL(filePath: "/") }
}

extension FileManager {
    func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
}
