// SPDX-License-Identifier: Apache-2.0

// UIKit is on every system that has protection classes, and on no other.
#if canImport(UIKit)

// Linux compiles this in `scripts/apple-check` only: `FolderProtectionTests` tests its use with a
// recorder in its place.

internal import Foundation

/// A setter of protection classes through the system's file manager.
package struct SystemFileProtector: FileProtector {
    package init() {}

    package func protect(
        _ path: String, as protection: FileProtection
    ) throws(FileProtectionError) {
        let type: FileProtectionType =
            switch protection {
            case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
            case .completeUnlessOpen: .completeUnlessOpen
            }
        do {
            try FileManager.default.setAttributes([.protectionKey: type], ofItemAtPath: path)
        } catch {
            throw FileProtectionError(path: path, reason: error.localizedDescription)
        }
    }

    package func protection(of path: String) -> FileProtection? {
        // A missing file has no class.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let type = attributes?[.protectionKey] as? FileProtectionType else { return nil }
        if type == .completeUnlessOpen { return .completeUnlessOpen }
        return type == .completeUntilFirstUserAuthentication
            ? .completeUntilFirstUserAuthentication : nil
    }
}

#else

/// A setter without effect: this system has no protection classes, and sealing protects the files.
package struct SystemFileProtector: FileProtector {
    package init() {}

    package func protect(_ path: String, as protection: FileProtection) {}
}

#endif
