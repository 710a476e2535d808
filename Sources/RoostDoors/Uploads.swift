// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import Roost
package import RoostModel

extension Callback where Value == UploadStep {
    /// Returns a callback for the progress of a message's upload.
    ///
    /// - Parameter handler: The receiver of the request ID, the bytes sent since the last call,
    ///   those sent so far, and all; nil for none.
    /// - Returns: The callback.
    package static func uploadProgress(
        _ handler: ((RequestID, _ news: Int64, _ sent: Int64, _ total: Int64) -> Void)?
    ) -> Self {
        var last: Int64 = 0
        return Callback(
            handler.map { handler in
                { step in
                    guard case .sent(let id, let progress) = step else { return }
                    let (sent, total) = (progress.sent.bytes, progress.total.bytes)
                    // Another attempt starts at the first byte.
                    if sent < last { last = 0 }
                    handler(id, sent - last, sent, total)
                    last = sent
                }
            })
    }
}

/// The cover picture of a channel to be created or changed.
package struct CoverImage: Sendable {
    private let bytes: [UInt8]?

    package init(_ data: Data?) { bytes = data.map { Array($0) } }

    /// Uploads the picture and returns its address; nil without one.
    package func upload(_ client: ChatClient) async throws(RoostError) -> String? {
        guard let bytes else { return nil }
        return try await client.uploadPicture(bytes)
    }

    /// Returns a handler that reports the end of the upload first.
    package func reporting<Object, Failure>(
        to progress: ((Int64, Int64, Int64) -> Void)?, then handler: ((Object?, Failure?) -> Void)?
    ) -> (Object?, Failure?) -> Void {
        { object, error in
            if error == nil, let bytes {
                let size = Int64(bytes.count)
                progress?(size, size, size)
            }
            handler?(object, error)
        }
    }
}
