{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE Safe #-}

-- |
-- Module      : Tests.Safe
-- Description : The public modules in Safe Haskell
--
-- This module compiles only if Safe code can import every public module. Those that can break
-- memory are marked Unsafe and end in that word. "make lint" compares the imports with the list of
-- public modules.
module Tests.Safe (Order (..), decoded, streamed) where

import Ashlar ()
import Ashlar.Builder (toLazyByteString)
import Ashlar.Builder.Base64 ()
import Ashlar.Builder.Buffer ()
import Ashlar.Builder.Bytestring ()
import Ashlar.Builder.Combinators ()
import Ashlar.Builder.Decimal ()
import Ashlar.Builder.Escape ()
import Ashlar.Builder.Extra ()
import Ashlar.Builder.Hex ()
import Ashlar.Builder.Html ()
import Ashlar.Builder.Http ()
import Ashlar.Builder.Padded ()
import Ashlar.Builder.Parts ()
import Ashlar.Builder.Prim ()
import Ashlar.Builder.RealFloat ()
import Ashlar.Builder.Section ()
import Ashlar.Builder.Sink ()
import Ashlar.Builder.Time ()
import Ashlar.Builder.UUID ()
import Ashlar.Builder.Varint ()
import Ashlar.ByteOrder ()
import Ashlar.Codec
import Ashlar.Codec.Combinators ()
import Ashlar.Codec.Packed ()
import Ashlar.Codec.Wrappers ()
import Ashlar.Compat.Binary ()
import Ashlar.Compat.Binary.Builder ()
import Ashlar.Compat.Binary.Get ()
import Ashlar.Compat.Binary.Put ()
import Ashlar.Compat.Cereal ()
import Ashlar.Compat.Cereal.Get ()
import Ashlar.Compat.Cereal.IEEE754 ()
import Ashlar.Compat.Cereal.Put ()
import Ashlar.Compat.Formats ()
import Ashlar.Compat.Store ()
import Ashlar.Compat.Text.Encoding ()
import Ashlar.Compat.Text.Lazy.Encoding ()
import Ashlar.Compat.Varint ()
import Ashlar.Get (getRemainingLazyByteString, runGetLazyWhole)
import Ashlar.Get.Base64 ()
import Ashlar.Get.Combinators ()
import Ashlar.Get.Decimal ()
import Ashlar.Get.Feed ()
import Ashlar.Get.Hex ()
import Ashlar.Get.Parse ()
import Ashlar.Get.ST ()
import Ashlar.Get.Stream ()
import Ashlar.Get.Time ()
import Ashlar.Get.UUID ()
import Ashlar.Get.Varint ()
import Ashlar.Http.Body ()
import Ashlar.Prim.Varint ()
import Ashlar.Put ()
import Ashlar.View ()
import qualified Data.ByteString.Lazy as L
import Data.Word (Word16)
import GHC.Generics (Generic)

data Order = Order {item :: String, count :: Word16}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

-- | The order of this name and count, by way of its bytes.
decoded :: String -> Word16 -> Either DecodeError Order
decoded name n = decode (encode (Order name n))

-- | The bytes of this order, by way of a builder and a decoder.
streamed :: String -> Word16 -> Either DecodeError L.ByteString
streamed name n = runGetLazyWhole getRemainingLazyByteString (toLazyByteString written)
  where
    written = put (Order name n)
