// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)

// Not compiled on Linux, where this project is built and tested: the rule it serves is tested there with
// a recorder in its place (`FolderProtectionTests`).

internal import Foundation

/// Sets classes of protection with the system's file manager.
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
}

#else

/// Does nothing: this system has no classes of protection, and sealing is what guards the files.
package struct SystemFileProtector: FileProtector {
    package init() {}

    package func protect(_ path: String, as protection: FileProtection) {}
}

#endif
