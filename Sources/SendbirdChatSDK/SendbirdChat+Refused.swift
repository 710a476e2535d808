// SPDX-License-Identifier: Apache-2.0

import RoostDoors

extension SendbirdChat {
    // MARK: Friends

    /// Fails, because the client knows no friends.
    public class func addFriends(
        userIds: [String], completionHandler: (([User]?, SBError?) -> Void)? = nil
    ) { door.refuse(completionHandler, "The client knows no friends.") }

    /// Fails, because the client knows no friends.
    public class func deleteFriend(userId: String, completionHandler: SBErrorHandler? = nil) {
        door.refuse(completionHandler, "The client knows no friends.")
    }

    /// Fails, because the client knows no friends.
    public class func deleteFriends(
        userIds: [String], completionHandler: SBErrorHandler? = nil
    ) { door.refuse(completionHandler, "The client knows no friends.") }
}
