// SPDX-License-Identifier: Apache-2.0

internal import CRoostNATS

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The functions of libnats, found at run time.
///
/// A library that is loaded stays loaded until the process ends, because it has threads of its own.
///
/// - Invariant: each function has the type that `shim.h` gives to its name. `@safe` rests on that.
@safe struct NATSLibrary: Sendable {
    let createOptions: roost_nats_create_options
    let destroyOptions: roost_nats_destroy_options
    let setServers: roost_nats_set_servers
    let setName: roost_nats_set_text
    let setTimeout: roost_nats_set_long
    let setPingInterval: roost_nats_set_long
    let setWriteDeadline: roost_nats_set_long
    let setMaxPingsOut: roost_nats_set_int
    let setMaxReconnect: roost_nats_set_int
    let setReconnectBuffer: roost_nats_set_int
    let setSendAsap: roost_nats_set_bool
    let setNoEcho: roost_nats_set_bool
    let setOnClosed: roost_nats_set_on_change
    let setOnDisconnected: roost_nats_set_on_change
    let setOnReconnected: roost_nats_set_on_change
    let setOnError: roost_nats_set_on_error
    let setOnDelay: roost_nats_set_on_delay
    let setRetry: roost_nats_set_retry

    let connect: roost_nats_connect
    let destroyConnection: roost_nats_destroy_connection
    let isClosed: roost_nats_is_closed
    let maxPayload: roost_nats_max_payload
    let publish: roost_nats_publish
    let flush: roost_nats_flush
    let subscribe: roost_nats_subscribe

    let setPending: roost_nats_set_pending
    let setOnComplete: roost_nats_set_on_complete
    let destroySubscription: roost_nats_destroy_subscription

    let messageData: roost_nats_message_data
    let messageLength: roost_nats_message_length
    let destroyMessage: roost_nats_destroy_message
    let sleep: roost_nats_sleep

    /// The library under its usual names, loaded once.
    static let usual = Result { () throws(NATSError) in try NATSLibrary(names: usualNames) }

    /// The names of the library, the preferred one first.
    ///
    /// Releases after 3.4 added functions and numbers and changed none that Roost uses.
    static let usualNames: [String] = {
        #if canImport(Darwin)
        ["/opt/homebrew/lib/libnats.dylib", "/usr/local/lib/libnats.dylib", "libnats.dylib"]
        #else
        (4...12).map { "libnats.so.3.\($0)" } + ["libnats.so"]
        #endif
    }()

    /// Loads the first library that exists under one of some names.
    init(names: [String]) throws(NATSError) {
        for name in names {
            // SAFETY: the name is a C string during the call. The handle is never closed.
            if let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) {
                self = try unsafe NATSLibrary(handle: handle)
                return
            }
        }
        throw .libraryMissing
    }

    private init(handle: UnsafeMutableRawPointer) throws(NATSError) {
        // SAFETY: here and below: the handle stays open, and `shim.h` has the type of each name.
        try unsafe createOptions = Self.find("natsOptions_Create", in: handle)
        try unsafe destroyOptions = Self.find("natsOptions_Destroy", in: handle)
        try unsafe setServers = Self.find("natsOptions_SetServers", in: handle)
        try unsafe setName = Self.find("natsOptions_SetName", in: handle)
        try unsafe setTimeout = Self.find("natsOptions_SetTimeout", in: handle)
        try unsafe setPingInterval = Self.find("natsOptions_SetPingInterval", in: handle)
        try unsafe setWriteDeadline = Self.find("natsOptions_SetWriteDeadline", in: handle)
        try unsafe setMaxPingsOut = Self.find("natsOptions_SetMaxPingsOut", in: handle)
        try unsafe setMaxReconnect = Self.find("natsOptions_SetMaxReconnect", in: handle)
        try unsafe setReconnectBuffer = Self.find("natsOptions_SetReconnectBufSize", in: handle)
        try unsafe setSendAsap = Self.find("natsOptions_SetSendAsap", in: handle)
        try unsafe setNoEcho = Self.find("natsOptions_SetNoEcho", in: handle)
        try unsafe setOnClosed = Self.find("natsOptions_SetClosedCB", in: handle)
        try unsafe setOnDisconnected = Self.find("natsOptions_SetDisconnectedCB", in: handle)
        try unsafe setOnReconnected = Self.find("natsOptions_SetReconnectedCB", in: handle)
        try unsafe setOnError = Self.find("natsOptions_SetErrorHandler", in: handle)
        try unsafe setOnDelay = Self.find("natsOptions_SetCustomReconnectDelay", in: handle)
        try unsafe setRetry = Self.find("natsOptions_SetRetryOnFailedConnect", in: handle)
        try unsafe connect = Self.find("natsConnection_Connect", in: handle)
        try unsafe destroyConnection = Self.find("natsConnection_Destroy", in: handle)
        try unsafe isClosed = Self.find("natsConnection_IsClosed", in: handle)
        try unsafe maxPayload = Self.find("natsConnection_GetMaxPayload", in: handle)
        try unsafe publish = Self.find("natsConnection_Publish", in: handle)
        try unsafe flush = Self.find("natsConnection_FlushTimeout", in: handle)
        try unsafe subscribe = Self.find("natsConnection_Subscribe", in: handle)
        try unsafe setPending = Self.find("natsSubscription_SetPendingLimits", in: handle)
        try unsafe setOnComplete = Self.find("natsSubscription_SetOnCompleteCB", in: handle)
        try unsafe destroySubscription = Self.find("natsSubscription_Destroy", in: handle)
        try unsafe messageData = Self.find("natsMsg_GetData", in: handle)
        try unsafe messageLength = Self.find("natsMsg_GetDataLength", in: handle)
        try unsafe destroyMessage = Self.find("natsMsg_Destroy", in: handle)
        try unsafe sleep = Self.find("nats_Sleep", in: handle)
    }

    private static func find<Function>(
        _ name: String, in handle: UnsafeMutableRawPointer
    ) throws(NATSError) -> Function {
        guard let symbol = unsafe dlsym(handle, name) else {
            throw NATSError(
                .libraryTooOld,
                "The library libnats is too old, it has no \(name); install version 3.4 or later, "
                    + "or start without --bus.")
        }
        return unsafe unsafeBitCast(symbol, to: Function.self)
    }
}
