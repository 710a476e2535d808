// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct ConnectionTests {
    private typealias Script = MachineScript

    @Test func `a call to connect ends with the login`() {
        var script = Script()
        let (id, effects) = script.start(.connecting(Connecting()))
        #expect(
            effects.notices.contains(.openSocket(1, sessionKey: nil, isInForeground: true)))
        #expect(script.machine.isBusy)
        script.give(.link(.opened(1)))
        let login = script.frame(
            .login(.success(LoginSuccess(user: User(id: "me"), sessionKey: "k"))))
        #expect(login.contains(.finish(id, .done)))
        #expect(script.machine.state.session?.epoch == 1)
    }

    @Test func `without a network a call to connect fails, and the connection is wanted`() {
        var script = Script()
        script.give(.link(.networkChanged(isUp: false)))
        let (id, effects) = script.start(.connecting(Connecting()))
        #expect(
            effects.contains {
                guard case .finish(id, .failed(let error)) = $0 else { return false }
                return error.code == .networkError && error.remedy == .retry
            })
        #expect(
            script.give(.link(.networkChanged(isUp: true))).notices.contains {
                if case .openSocket = $0 { true } else { false }
            })
    }

    @Test func `a refused login ends the call with the server's reason`() {
        var script = Script()
        let (id, _) = script.start(.connecting(Connecting()))
        script.give(.link(.opened(1)))
        let effects = script.frame(.error(ServerError(.tokenInvalid, "no"), acknowledges: nil))
        #expect(
            effects.contains {
                guard case .finish(id, .failed(let error)) = $0 else { return false }
                return error.code == .tokenInvalid
            })
    }

    @Test(arguments: [
        (RoostError.Code.tokenInvalid, RoostError.Remedy.signIn),
        (.applicationNotFound, .correctInput),
    ])
    func `after a refused login a call without a connection names the refusal`(
        code: RoostError.Code, remedy: RoostError.Remedy
    ) {
        var script = Script()
        _ = script.start(.connecting(Connecting()))
        script.give(.link(.opened(1)))
        _ = script.frame(.error(ServerError(code, "No."), acknowledges: nil))
        #expect(Self.failure(of: &script)?.code == .connectionRequired)
        let error = Self.failure(of: &script)
        #expect(error?.remedy == remedy)
        #expect(
            error?.message == "There is no connection: the server refused the login: No.")
        #expect((error?.underlying as? RoostError)?.code == code)
        script.give(.disconnect(isLogout: false))
        #expect(Self.failure(of: &script) == .notConnected)
    }

    @Test func `while the client retries, a call without a connection may be repeated`() {
        var script = Script.connected()
        script.lose()
        #expect(Self.failure(of: &script) == .notConnected)
        script.give(.fired(.link(.retry)))
        script.give(.link(.lost(script.machine.state.link.machine.epoch, .untrusted("Bad."))))
        let error = Self.failure(of: &script)
        #expect(error?.message == "There is no connection: the client gave up: Bad.")
        #expect(error?.remedy == RoostError.Remedy.none)
    }

    /// Returns the error of a call that needs a connection.
    private static func failure(of script: inout Script) -> RoostError? {
        let leave = LeaveChannel(channelURL: Script.channel)
        let act = ChannelAct(.leave(leave), .departure(Script.channel))
        for case .finish(_, .failed(let error)) in script.start(.channelAct(act)).effects {
            return error
        }
        return nil
    }

    @Test func `the end of a connection by the app is published once`() {
        for closes in [true, false] {
            var script = Script.connected()
            let end = script.give(closes ? .close : .disconnect(isLogout: false))
            #expect(Self.states(end) == [.idle])
            #expect(Self.states(script.give(.disconnect(isLogout: false))) == [])
            #expect(Self.states(script.give(.close)) == [])
        }
    }

    private static func states(_ effects: [Script.Effect]) -> [LinkMachine.State] {
        effects.notices.compactMap { if case .connection(let state, _) = $0 { state } else { nil } }
    }

    @Test func `a disconnection by the app ends the call`() {
        var script = Script()
        let (id, _) = script.start(.connecting(Connecting()))
        let effects = script.give(.disconnect(isLogout: false))
        #expect(
            effects.contains {
                guard case .finish(id, .failed(let error)) = $0 else { return false }
                return error.code == .connectionCanceled
            })
        #expect(script.machine.state.link.state == .idle)
    }

    @Test func `the next login has the key of the last one`() {
        var script = Script.connected()
        let effects = script.lose() + script.give(.fired(.link(.retry)))
        #expect(
            effects.notices.contains {
                if case .openSocket(_, sessionKey: "key 1"?, _) = $0 { true } else { false }
            })
    }

    @Test func `a key that the server has forgotten is not sent again`() {
        var script = Script.connected()
        let frame = script.frame(.expired(reason: nil, expiresIn: nil))
        #expect(script.machine.state.link.sessionKey == nil)
        let effects = frame + script.give(.fired(.link(.retry)))
        #expect(
            effects.notices.contains {
                if case .openSocket(_, sessionKey: nil, _) = $0 { true } else { false }
            })
    }

    @Test func `a late refusal of an earlier key does not end the session of a later one`() {
        var script = Script.connected()
        let epoch = script.machine.state.link.loginEpoch
        script.login()
        let effects = script.give(.refusedKey(Script.error(.sessionKeyExpired), epoch))
        #expect(effects == [])
        #expect(script.machine.state.session != nil)
    }

    @Test func `all state of a connection ends with it`() {
        var script = Script.connected()
        script.give(.startedTyping(Script.channel))
        let lost = script.lose()
        #expect(script.machine.state.session == nil)
        #expect(
            lost.notices.contains {
                if case .disarm(.typing) = $0 { true } else { false }
            })
    }

    @Test func `typing is reported only while connected`() {
        var script = Script()
        #expect(script.give(.startedTyping(Script.channel)) == [])
        script.login()
        #expect(
            script.give(.startedTyping(Script.channel)).contains(
                .notice(.send(.typingStart(Script.channel, time: script.now)))))
    }

    @Test func `a call to connect ends at once while there is a connection`() {
        var script = Script.connected()
        let (id, effects) = script.start(.connecting(Connecting()))
        #expect(effects == [.finish(id, .done)])
    }

    @Test func `a quiet connection is tested with a ping, in the foreground as active`() {
        var script = Script.connected()
        let ping = Ping(id: script.now.milliseconds, isActive: true)
        #expect(script.give(.fired(.link(.ping))).notices.contains(.send(.ping(ping))))
    }

    @Test func `a busy server is left alone for as long as it asks`() {
        var script = Script.connected()
        let busy = BusyEvent(retryAfter: .seconds(33), reason: 1, message: "later")
        let effects = script.frame(.busy(busy))
        #expect(script.machine.state.session == nil)
        let waits = effects.notices.compactMap { notice -> Duration? in
            if case .arm(.link(.retry), let wait) = notice { wait } else { nil }
        }
        #expect(waits.count == 1 && waits.allSatisfy { $0 >= .seconds(33) })
    }

    @Test func `an expiry of an earlier connection's key does not end the present one`() {
        var script = Script.connected()
        let epoch = script.machine.state.link.machine.epoch
        script.give(.link(.expired(epoch - 1)))
        #expect(script.machine.state.session?.epoch == epoch)
    }

    @Test func `a network that cannot be used at all is reported with its address`() {
        var script = Script()
        _ = script.start(.connecting(Connecting()))
        let epoch = script.machine.state.link.machine.epoch
        let effects = script.give(.link(.lost(epoch, .unusable("no such scheme"))))
        #expect(
            effects.notices.contains {
                guard case .connection(_, let error?) = $0 else { return false }
                return error.code == .invalidURL && error.message == "no such scheme"
            })
    }

    /// The remedy for a refused login: whether the link has stopped, the code, the remedy.
    private static let remedies: [(Bool, RoostError.Code, RoostError.Remedy)] = [
        (false, .tokenInvalid, .retry), (true, .tokenInvalid, .signIn),
        // The link would have retried; once it has stopped, a retry is no remedy.
        (true, .rateLimited, .none), (true, .applicationNotFound, .correctInput),
    ]

    @Test(arguments: remedies.indices)
    func `the remedy for a refusal is to wait while the link retries by itself`(_ index: Int) {
        let (isFinal, code, remedy) = Self.remedies[index]
        var refusal = LinkMachine.Refusal(code: code, message: "no")
        refusal.isFinal = isFinal
        #expect(RoostError(refusal).remedy == remedy)
    }

    @Test func `an impossible time of the login is no time`() {
        var script = Script()
        _ = script.start(.connecting(Connecting()))
        script.give(.link(.opened(1)))
        var login = LoginSuccess(user: User(id: "me"), sessionKey: "k")
        login.loginAt = Timestamp(milliseconds: -5)
        _ = script.frame(.login(.success(login)))
        #expect(script.machine.state.session?.loginAt == nil)
        #expect(script.machine.state.firstLoginAt == nil)
    }

    /// Returns the session keys of the sockets that are opened.
    private static func keys(_ effects: [Script.Effect]) -> [String?] {
        effects.notices.compactMap { notice -> String?? in
            if case .openSocket(_, let key, _) = notice { .some(key) } else { nil }
        }
    }

    @Test(arguments: [true, false])
    func `a logout ends the session key, and a disconnection keeps it`(isLogout: Bool) {
        var script = Script.connected()
        script.give(.disconnect(isLogout: isLogout))
        let key = isLogout ? nil : "key 1"
        #expect(script.machine.state.link.sessionKey == key)
        #expect(Self.keys(script.start(.connecting(Connecting())).effects) == [key])
    }

    @Test(arguments: [true, false])
    func `a login answer that a logout has overtaken brings no session key (scar 134)`(
        isOpen: Bool
    ) {
        var script = Script()
        _ = script.start(.connecting(Connecting()))
        if isOpen { script.give(.link(.opened(1))) }
        script.give(.disconnect(isLogout: true))
        let login = LoginSuccess(user: User(id: "me"), sessionKey: "k")
        #expect(script.frame(.login(.success(login))).notices.isEmpty)
        #expect(script.machine.state.link.sessionKey == nil)
        #expect(Self.keys(script.start(.connecting(Connecting())).effects) == [nil])
    }

    @Test func `a frame that ends the key of a live connection leads to a login without it`() {
        var script = Script.connected()
        let frame = script.frame(
            .error(ServerError(.sessionKeyExpired, "Expired."), acknowledges: nil))
        #expect(frame.notices.contains(.closeSocket))
        #expect(script.machine.state.link.sessionKey == nil)
        #expect(Self.keys(frame + script.give(.fired(.link(.retry)))) == [nil])
    }

    @Test func `any other error without a request leaves a live connection and its key`() {
        var script = Script.connected()
        let frame = script.frame(.error(ServerError(.notAMember, "No."), acknowledges: nil))
        #expect(!frame.notices.contains(.closeSocket))
        #expect(script.machine.state.link.sessionKey == "key 1")
        #expect(script.machine.state.session?.epoch == 1)
    }

    @Test func `an error that ends the session of a live connection is final`() {
        var script = Script.connected()
        _ = script.frame(.error(ServerError(.sessionRevoked, "No."), acknowledges: nil))
        #expect(script.machine.state.link.sessionKey == nil)
        #expect(Self.failure(of: &script)?.remedy == .signIn)
    }

    @Test func `two changes of the own profile at once are both stored`() {
        var script = Script.connected()
        let (first, one) = script.start(.profileChanging(ProfileChanging(.metadata(["x": "1"]))))
        let (second, _) = script.start(.profileChanging(ProfileChanging(.metadata(["y": "2"]))))
        let (third, _) = script.start(
            .profileChanging(
                ProfileChanging(.fields(nickname: "Me", pictureURL: nil, languages: nil))))
        #expect(one.mutations == [.users([User(id: "me", metadata: ["x": "1"])])])
        let two = script.commit(first)
        #expect(two.mutations == [.users([User(id: "me", metadata: ["x": "1", "y": "2"])])])
        let named = User(id: "me", nickname: "Me", metadata: ["x": "1", "y": "2"])
        #expect(script.commit(second).mutations == [.users([named])])
        #expect(script.commit(third).contains(.finish(third, .done)))
        #expect(script.machine.state.session?.login.user == named)
    }
}
