// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The messages of honest peers; each field that a decoder knows occurs in one of them.
enum FuzzSamples {
    static let texts = ["null", "-1.5e-7", #""a\u00e9\n""#, "[1,[2,{}],\"x\"]", "0e9"]

    static let user =
        #"{"user_id":"ann","nickname":"Ännä","profile_url":"u","metadata":{"a":"b"},"is_active":true,"#
        + #""is_online":true,"last_seen_at":1700000000000,"preferred_languages":["en"],"#
        + #""friend_discovery_key":"k","friend_name":"f","require_auth_for_profile_image":true,"x":[1]}"#

    private static let sender =
        String(user.dropLast()) + #","role":"operator","is_blocked_by_me":true}"#

    private static let member =
        String(user.dropLast())
        + #","role":"operator","state":"joined","is_muted":true,"muted_end_at":1700000000000,"#
        + #""muted_description":"d","joined_ts":1700000000,"read_ts":1700000000000,"#
        + #""delivered_ts":1700000000000,"is_blocking_me":true}"#

    private static let poll =
        #"{"id":7,"title":"t","status":"open","created_at":1700000000,"updated_at":1700000001,"#
        + #""close_at":1800000000,"message_id":9,"data":{"type":"t","text":"x"},"voter_count":2,"#
        + #""options":[{"poll_id":7,"id":1,"text":"a","created_by":"ann","created_at":1700000000,"#
        + #""updated_at":1700000000,"vote_count":2,"partial_voter_list":[\#(user)]}],"created_by":"ann","#
        + #""allow_user_suggestion":true,"allow_multiple_votes":true,"voted_option_ids":[1]}"#

    private static let thread =
        #"{"reply_count":3,"most_replies":[\#(user)],"last_replied_at":1700000000000,"#
        + #""updated_at":1700000000000,"member_count":2,"unread_message_count":1,"#
        + #""is_push_notification_enabled":true}"#

    private static let parts =
        #""data":"d","custom_type":"c","mention_type":"users","mentioned_users":[\#(user)],"#
        + #""sorted_metaarray":[{"key":"k","value":["v"]}],"parent_message_id":3,"#
        + #""is_reply_to_channel":true,"silent":true,"message_survival_seconds":60,"#
        + #""message_retention_hour":5,"thread_info":\#(thread),"reactions":[{"key":"r","#
        + #""user_ids":["ann","bob"],"updated_at":1700000000000,"count":5}],"poll":\#(poll),"#
        + #""parent_message_info":{"type":"MESG","message":"p","user":\#(user),"ts":1700000000000,"#
        + #""updated_at":1700000000001},"og_tag":{"og:title":"t","og:url":"u","og:description":"d","#
        + #""og:image":{"url":"u","width":10,"height":20}},"translations":{"de":"x"},"#
        + #""extended_message":{"a":[1]},"scheduled_info":{"scheduled_message_id":4,"#
        + #""scheduled_at":1800000000000,"scheduled_status":"pending"},"#
        + #""apple_critical_alert_options":{"name":"n","volume":0.5},"#
        + #""message_events":{"send_push_notification":"all","update_unread_count":true},"#
        + #""notification_message_id":"n","from_the_future":{"n":1}"#

    static let message =
        #"{"message_id":9,"type":"MESG","channel_url":"g","message":"hi","created_at":1700000000000,"#
        + #""updated_at":1700000000001,"user":\#(sender),"request_id":"r-1",\#(parts)}"#

    static let file =
        #"{"message_id":10,"type":"FILE","channel_url":"g","message":"c","created_at":1700000000002,"#
        + #""updated_at":0,"user":\#(sender),"file":{"url":"u","name":"n","type":"image/png","size":99,"#
        + #""data":"d","require_auth":true},"thumbnails":[{"url":"t","plain_url":"p","width":1,"#
        + #""height":2,"real_width":3,"real_height":4}],"files":[{"url":"u","file_name":"n","#
        + #""file_type":"t","file_size":5,"thumbnails":[]}]}"#

    static let channel =
        #"{"channel_url":"g","name":"n","cover_url":"c","data":"d","custom_type":"t","created_at":1700000000,"#
        + #""created_by":\#(user),"members":[\#(member)],"operators":[\#(user)],"inviter":\#(user),"#
        + #""is_distinct":true,"is_super":true,"is_broadcast":false,"is_public":true,"freeze":false,"#
        + #""member_count":2,"joined_member_count":2,"unread_message_count":3,"unread_mention_count":1,"#
        + #""last_message":\#(message),"latest_pinned_message":\#(file),"pinned_message_ids":[9,10],"#
        + #""latest_message":{"message_id":9,"created_at":1700000000000},"member_state":"joined","#
        + #""my_role":"operator","user_last_read":1700000000000,"ts_message_offset":1699999999999,"#
        + #""message_purge_offset":1,"invited_at":1700000000000,"joined_ts":1700000000,"#
        + #""is_hidden":false,"hidden_state":"unhidden","read_receipt":{"ann":1700000000000},"#
        + #""delivery_receipt":{"ann":1700000000000},"message_survival_seconds":60,"#
        + #""disappearing_message":{"message_survival_seconds":60,"is_triggered_by_message_read":true},"#
        + #""count_preference":"all","push_trigger_option":"default","max_length_message":5000,"#
        + #""metadata":{"a":"b"},"ts":1700000000000,"is_created":true}"#

    static let objects = [user, message, file, channel, "[\(message),\(file)]"]

    static let messagePage =
        #"{"messages":[\#(message),\#(file)],"has_next":true,"is_continuous_messages":true}"#
    static let messageChanges =
        #"{"updated":[\#(message)],"deleted":[4,{"message_id":5,"deleted_at":1700000000000}],"#
        + #""has_more":true,"next":"m7"}"#
    static let messageGap =
        #"{"is_huge_gap":false,"prev_messages":[\#(message)],"prev_hasmore":false,"next_messages":[],"#
        + #""is_continuous_prev_messages":true}"#
    static let channelPage =
        #"{"channels":[\#(channel)],"next":"n","ts":1700000000000,"has_more":true}"#
    static let channelChanges =
        #"{"updated":[\#(channel)],"deleted":["h"],"has_more":false,"next":"c7","ts":1700000000000}"#
    static let openChannel =
        #"{"channel_url":"o","name":"n","cover_url":"","data":"","custom_type":"","#
        + #""created_at":1700000000,"freeze":false,"is_ephemeral":false,"participant_count":3,"#
        + #""message_survival_seconds":-1,"metadata":{"a":"b"},"operators":[\#(user)],"x":[1]}"#
    static let openChannelPage = #"{"channels":[\#(openChannel)],"next":"n"}"#
    static let participantPage = #"{"participants":[\#(user)],"next":"n"}"#
    static let memberPage =
        #"{"members":[\#(member)],"users":[\#(user)],"operators":[\#(user)],"next":"n"}"#
    static let restrictedPage =
        #"{"muted_list":[{"user_id":"a","nickname":"n","profile_url":"","end_at":1700000000000,"#
        + #""description":"d","remaining_duration":5}],"banned_list":[{"user":\#(user),"end_at":-1}],"#
        + #""next":"n","total_ban_count":1}"#
    static let readMark =
        #"{"channel_url":"g","ts":1700000000000,"unread_message_count":1,"total_unread_count":2,"#
        + #""is_excluded":true,"unique_id":"u"}"#
    static let fingerprints = #"{"fingerprints":[{"count":3,"digest":"00ff00ff00ff00ff"}]}"#
    static let upload =
        #"{"url":"u","file_size":9,"require_auth":true,"thumbnails":[{"url":"t","width":1,"height":2}]}"#
    static let reaction =
        #"{"msg_id":9,"reaction":"r","user_id":"ann","operation":"ADD","updated_at":1700000000000}"#

    // MARK: Frames

    static let serverFrames: [String] = [
        #"LOGI{"key":"k","ekey":"e","user_id":"ann","nickname":"n","profile_url":"","login_ts":1700000000000,"#
            + #""ping_interval":15,"pong_timeout":5,"reconnect":{"interval":2,"max_interval":20,"mul":2,"#
            + #""retry_cnt":-1},"sdk_background_connection_close_timeout":30,"unread_cnt":{"all":5,"#
            + #""custom_types":{"a":1},"ts":1700000000000},"max_unread_cnt_on_super_group":100,"#
            + #""file_upload_size_limit":25,"multiple_file_send_max_size":30,"#
            + #""request_dedup_interval_ms":60000,"services":["chat"],"unread_cnt_threading_policy":1}"#,
        #"LOGI{"error":true,"code":400302,"message":"no"}"#,
        #"LOGI{"req_id":"1","new_key":"k","ekey":"e"}"#,
        "MESG" + flat("MESG", message), "FILE" + flat("FILE", file), "MEDI" + flat("MEDI", message),
        "ADMM" + flat("ADMM", message), "BRDM" + flat("BRDM", message),
        #"BUSY{"retry_after":30,"reason_code":1,"message":"later"}"#,
        #"EROR{"code":900100,"message":"no","req_id":"1"}"#,
        #"EXPR{"reason":400310,"expires_in":60}"#,
        #"PONG{"sts":1}"#,
        #"READ{"channel_url":"g","user":\#(user),"ts":1700000000000,"req_id":"1"}"#,
        #"DLVR{"channel_url":"g","updated":{"ann":1700000000000}}"#,
        #"DELM{"channel_url":"g","msg_id":9,"ts":1700000000000,"message_created_at":1,"sender_id":"ann"}"#,
        #"MCNT{"group_channels":[{"channel_url":"g","member_count":2,"joined_member_count":1,"ts":1}]}"#,
        #"MRCT{"channel_url":"g","msg_id":9,"reaction":"r","user_id":"a","operation":"ADD","updated_at":5}"#,
        #"MTHD{"channel_url":"g","parent_message_id":9,"thread_info":\#(thread)}"#,
        #"VOTE{"channel_url":"g","message_id":9,"poll_id":7,"voter_count":2,"ts":1700000000000,"#
            + #""updated_vote_counts":[{"option_id":1,"vote_count":2}],"voted_option_ids":[1]}"#,
        #"ENTR{"channel_url":"o","req_id":"r","participant_count":1,"ts":1,"data":{"edge_ts":1}}"#,
        #"PEDI{"channel_url":"g","poll":\#(poll),"ts":1}"#, #"USEV{"cat":20900,"data":{"a":1}}"#,
        #"SYEV{"cat":10000,"channel_url":"g","ts":1700000000000,"unique_id":"u","data":{"users":[\#(member)],"#
            + #""member_count":2,"joined_member_count":2}}"#,
        #"SYEV{"cat":10020,"channel_url":"g","ts":1,"data":{"inviter":\#(user),"invitees":[\#(member)],"invited_at":1}}"#,
        #"SYEV{"cat":10700,"channel_url":"g","ts":1,"data":{"user_id":"a","end_at":5,"remaining_duration":5}}"#,
        #"SYEV{"cat":11200,"channel_url":"g","ts":1,"data":{"created":{"a":1},"updated":{"b":-5},"deleted":["c"]}}"#,
        #"SYEV{"cat":10900,"channel_url":"g","ts":1,"data":{"user_id":"a","nickname":"n"}}"#,
    ]

    /// Returns a message in the form of frames, with the short names of its ID and time.
    private static func flat(_ kind: String, _ text: String) -> String {
        text.replacing("\"message_id\":", with: "\"msg_id\":", maxReplacements: 1)
            .replacing("\"created_at\":", with: "\"ts\":", maxReplacements: 1)
            .replacing(#""type":"\#(kind)","#, with: #""req_id":"r-1","last_msg_id":8,"#)
    }

    static let clientFrames = [
        #"MESG{"channel_url":"g","message":"x","data":"d","req_id":"2","mention_type":"users","mentioned_user_ids":["ann"],"#
            + #""metaarray":{"k":["v"]},"parent_message_id":3,"poll_id":7}"#,
        #"FILE{"channel_url":"g","url":"u","name":"n","type":"t","size":1,"thumbnails":[{"width":1}],"req_id":"3"}"#,
        #"MEDI{"channel_url":"g","msg_id":1,"message":"y","metaarray":{"array":[],"mode":"add","upsert":true},"req_id":"4"}"#,
        #"READ{"channel_url":"g","req_id":"5","parent_message_id":4}"#,
        #"PING{"id":1,"active":1,"req_id":""}"#,
        #"TPST{"channel_url":"g","time":1,"req_id":"6"}"#, #"ENTR{"channel_url":"o","req_id":"7"}"#,
        #"VOTE{"channel_url":"g","poll_id":1,"option_ids":[1],"req_id":"8"}"#,
        #"MACK{"channel_url":"g","msg_id":1,"req_id":"9"}"#,
        #"LOGI{"token":"t","expiring_session":true,"req_id":"10"}"#,
    ]

    // MARK: Calls

    static let calls = [
        "GET users?limit=10&token=abc&user_ids=ann,bob ", "GET group_channels?limit=5&token=1 ",
        "GET group_channels/g/messages?message_ts=1700000000000&prev_limit=2&next_limit=2&message_id=9 ",
        "GET group_channels/g/messages_gap?prev_start_ts=1&prev_end_ts=2&prev_cache_count=1 ",
        "GET group_channels/g/messages/changelogs?token=m1&change_ts=1 ",
        "GET group_channels/g/messages/fingerprints?stretches=1.1_2.2,3.3_4.4 ",
        "GET group_channels/g/polls/changelogs?token=p1&change_ts=1 ",
        #"POST group_channels/g/messages {"message_type":"MESG","user_id":"ann","message":"x","poll_id":1}"#,
        #"POST group_channels {"user_ids":["ann","bob"],"name":"n","is_distinct":true,"message_survival_seconds":5}"#,
        #"PUT group_channels/g/messages/9 {"message":"x","metaarray":{"array":[{"key":"k","value":["v"]}]}}"#,
        #"PUT group_channels/g/messages/mark_as_read {"user_id":"ann","message_id":9,"is_excluded":true}"#,
        "GET users/ann/my_group_channels?limit=3&order=latest_last_message&show_member=true&token=1 ",
        #"POST polls {"title":"t","options":["a","b"],"close_at":1}"#,
        #"PUT group_channels/g/mute {"user_id":"bob","seconds":10}"#,
        #"POST users {"user_id":"z","nickname":"n","profile_url":"","metadata":{"a":"b"}}"#,
    ]

    static let forms = [
        "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\ntext\r\n"
            + "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../x\"\r\n"
            + "Content-Type: text/plain\r\n\r\nbytes\r\n--\r\n-\r\n--B--\r\n"
    ]

    // MARK: Values

    static let messageValues: [Message] = [message, file].compactMap { text in
        try? SendMessage.decode(APIResponse(status: 200, body: Array(text.utf8)))
    }
    static let channelValue = try? CreateChannel.decode(
        APIResponse(status: 200, body: Array(channel.utf8))
    ).channel
    static let userValue = try? CreateUser.decode(
        APIResponse(status: 200, body: Array(user.utf8))
    ).user

    static let serialized: [[UInt8]] =
        messageValues.map { SerializedObject.message($0).bytes }
        + [channelValue.map { SerializedObject.channel($0).bytes }].compactMap(\.self)
        + [userValue.map { SerializedObject.user($0).bytes }].compactMap(\.self)
}
