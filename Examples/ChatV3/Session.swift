// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendBirdSDK
import SendBirdSyncManager

/// The login with a token that is renewed when it expires, the background, and the logout.
///
/// `connect [USER [TOKEN]]`, `renew TOKEN`, `background`, `foreground`, `state`, `logout`, `quit`.
final class Session: SBDSessionDelegate, SBDConnectionDelegate {
    private let screen: Screen
    private var user: String
    /// The token that the app's own server gives next; a real app would fetch it when asked.
    private var nextToken: String?
    private var tokenRequest: ((String?) -> Void)?
    private var isRenewed = false
    private var isWaiting = false
    /// Closes the views of the present user.
    var userWillChange: () -> Void = {}

    init(user: String, _ screen: Screen) {
        (self.user, self.screen) = (user, screen)
        SBSMSyncManager.setup(withUserId: user)
        SBDMain.setSessionDelegate(self)
        SBDMain.add(self as any SBDConnectionDelegate, identifier: "session")
        screen.on("connect", connect)
        screen.on("renew", renew)
        screen.on("state") { _ in screen.done("state", self.state) }
        screen.on("background") { _ in self.move(toForeground: false) }
        screen.on("foreground") { _ in self.move(toForeground: true) }
        screen.on("logout") { _ in self.logout { screen.done("goodbye", self.user) } }
        screen.on("quit") { _ in self.logout { exit(0) } }
    }

    private func connect(_ words: String) {
        let (name, token) = words.firstWord
        if !name.isEmpty, name != user {
            user = name
            SBSMSyncManager.setup(withUserId: name)
        }
        SBDMain.connect(withUserId: user, accessToken: token.isEmpty ? nil : token) { user, error in
            if error == nil { SBSMSyncManager.resumeSynchronize() }
            self.screen.done(error == nil ? "connected" : "offline", user?.userId ?? "nobody")
        }
    }

    private func logout(then done: @escaping () -> Void) {
        userWillChange()
        SBDMain.disconnect {
            SBSMSyncManager.pauseSynchronize()
            done()
        }
    }

    private var state: String {
        switch SBDMain.getConnectState() {
        case .open: "open"
        case .connecting: "connecting"
        case .closed: "closed"
        }
    }

    /// On Apple platforms the library observes the app by itself.
    private func move(toForeground isForeground: Bool) {
        SBDMain.appMoved(toForeground: isForeground)
        screen.done(isForeground ? "foreground" : "background")
    }

    // MARK: Tokens

    /// Gives the next token, and waits until the session goes on with it.
    private func renew(_ token: String) {
        nextToken = token
        isWaiting = true
        answer()
    }

    private func answer() {
        if let success = tokenRequest, let token = nextToken {
            (tokenRequest, nextToken) = (nil, nil)
            success(token)
        }
        guard isWaiting, isRenewed else { return }
        (isWaiting, isRenewed) = (false, false)
        screen.done("renewed")
    }

    func sessionTokenDidRequire(
        successCompletion success: @escaping (String?) -> Void,
        failCompletion fail: @escaping () -> Void
    ) {
        screen.show("token required")
        tokenRequest = success
        answer()
    }

    func sessionWasRefreshed() {
        isRenewed = true
        answer()
    }

    func sessionWasClosed() {
        screen.show("session closed")
    }

    func sessionDidHaveError(_ error: SBDError) {
        screen.show("session error", error.localizedDescription)
    }

    // MARK: Connection

    func didSucceedReconnection() {
        SBSMSyncManager.resumeSynchronize()
        screen.show("reconnected")
    }
}
