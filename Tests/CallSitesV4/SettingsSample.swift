// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

import Foundation
import SendbirdChatSDK

/// The page's samples of settings, letter by letter.
enum SettingsSample {
    static func cacheManagement() -> InitParams {
let config = LocalCacheConfig()
config.maxSize = 256
config.clearOrder = .custom
config.customClearOrderComparator = { (lhs, rhs) in
    return NSNumber(value: lhs.cachedMessageCount).compare(NSNumber(value: rhs.cachedMessageCount)) // CachedBaseChannelInfo contains the group channel's info such as cachedMessageCount.
}
let initParam = InitParams(applicationId: "{APP_ID}", isLocalCachingEnabled: true, logLevel: .verbose, appVersion: "x.y.z")
    initParam.localCacheConfig = config

SendbirdChat.initialize(params: initParam)
        return initParam
    }

    static func encryption(appId: String) -> InitParams {
let localCacheConfig = LocalCacheConfig(isEncryptionEnabled: true)  // The higher level of data protection is applied,
                                                                    // which is completeUnlessOpen.
let initParams = InitParams(
    applicationId: appId,
    isLocalCachingEnabled: true,
    localCacheConfig: localCacheConfig
)
        return initParams
    }
}
