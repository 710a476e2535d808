// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

// The parameters of channel calls as requests.

extension CreateChannel {
    init(_ params: ChannelCreateParams, by me: UserID) {
        self.init(
            channelURL: params.url, userIDs: [me] + params.memberIDs.filter { $0 != me },
            operatorIDs: params.operatorIDs, name: params.name, coverURL: params.coverURL,
            data: params.data, customType: params.customType, isDistinct: params.isDistinct,
            isSuper: params.isSuper, isPublic: params.isPublic)
        // The server chooses the values of the other options.
        if params.isBroadcast { options.isBroadcast = true }
        if params.isExclusive { options.isExclusive = true }
        if params.isEphemeral { options.isEphemeral = true }
        options.isDiscoverable = params.isDiscoverable
        options.accessCode = params.accessCode
        options.survivalSeconds = params.messageSurvivalSeconds
    }
}

extension JoinChannel {
    init(_ url: ChannelURL, accessCode: String?) {
        self.init(channelURL: url)
        self.accessCode = accessCode
    }
}
