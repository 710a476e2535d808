// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

#if canImport(Glibc)
import Glibc
#endif

/// Keeps a second server out of a data folder, as long as it lives; the system frees it after a crash.
///
/// Two servers on one folder would each tell only their own clients of a message.
struct FolderLock: ~Copyable {
    private let descriptor: Int32

    init(_ folder: String) throws(RoostError) {
        descriptor = open(folder + "/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw RoostError(
                .localDatabaseError, remedy: .repairStorage,
                message: "The data folder \(folder) cannot be written: name another one.")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Glibc.close(descriptor)
            throw RoostError(
                .localDatabaseError, remedy: .repairStorage,
                message: "Another server uses \(folder): stop it, or name another folder.")
        }
    }

    deinit { _ = Glibc.close(descriptor) }
}
