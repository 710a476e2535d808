// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel

extension ChatClient {
    /// Disconnects, removes the user's data from this device, and closes the client.
    ///
    /// The data are everything cached, unsent messages and changes, drafts, the marks of all
    /// inboxes and downloaded files. Data that another process is writing at the same time may
    /// stay, so close the clients of extensions first. The key of `Configuration.protection` is the
    /// app's to delete.
    ///
    /// - Parameter token: The device's push token, which the server is asked to forget first.
    /// - Returns: Whether the server has forgotten the token; if not, such as without a connection,
    ///   let your backend remove it.
    /// - Throws: `.localDatabaseError`; the client is disconnected and open then, so the call can
    ///   be repeated.
    @discardableResult
    public func signOut(
        unregistering token: (token: String, kind: PushTokenKind)? = nil
    ) async throws(RoostError) -> Bool {
        var isUnregistered = false
        if let token {
            do throws(RoostError) {
                try await unregisterPushToken(token.token, of: token.kind)
                isUnregistered = true
            } catch {
                // The sign-out must not fail for want of a connection.
            }
        }
        await disconnect()
        let inboxes = Set(try await unsentItems().compactMap(\.inboxMark?.inbox))
        for inbox in inboxes.sorted() { try await removeInbox(inbox) }
        try await clearCache(includingUnsent: true)
        await close()
        return isUnregistered
    }
}
