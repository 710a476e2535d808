// SPDX-License-Identifier: Apache-2.0

extension LinkMachine.State {
    /// Whether there is a connection, or the link brings one about by itself.
    var wantsConnection: Bool {
        switch self {
        case .opening, .authenticating, .awaitingToken, .online, .backingOff, .awaitingNetwork: true
        case .idle, .asleep, .refused: false
        }
    }
}

extension LinkMachine.Input {
    /// The socket that the input comes from; nil if it comes from none.
    var epoch: LinkMachine.Epoch? {
        switch self {
        case .opened(let epoch), .loginSucceeded(let epoch, _), .loginRefused(let epoch, _),
            .busy(let epoch, retryAfter: _), .received(let epoch), .answerMissing(let epoch),
            .expired(let epoch), .lost(let epoch, _), .token(let epoch, _):
            epoch
        case .connect, .disconnect, .networkChanged, .appMoved, .fired: nil
        }
    }
}
