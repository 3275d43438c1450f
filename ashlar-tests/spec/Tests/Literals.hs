{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- |
-- Module      : Tests.Literals
-- Description : Literals, which rules turn into copies of bytes, against other strings
module Tests.Literals (tests) where

import Ashlar.Builder
import qualified Ashlar.Builder.Prim as P
import Control.Monad (forM_, zipWithM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Lazy as L
import Data.IORef (modifyIORef, newIORef, readIORef)
import Test.Tasty
import Test.Tasty.HUnit
import Tests.LiteralSamples

tests :: TestTree
tests =
  testGroup
    "literals"
    [ check "by fromString" (const alone) id,
      check "by stringUtf8" (const called) id,
      check "between bytes" (\_ u -> between u 65) (\s -> "A" ++ s ++ "A"),
      check "two, before a builder" (\s u -> doubled u (stringUtf8 s)) (\s -> s ++ s ++ s),
      check "before a string" (flip before) (\s -> s ++ s),
      check "as a text" (\_ u -> strict u 65) (\s -> "A" ++ map valid s ++ map valid s),
      check "as a lazy text" (\_ u -> lazily u 65) (\s -> "A" ++ map valid s ++ map valid s),
      testCase "C0 stands for itself unless 80 follows" notZero
    ]

-- As bytestring 0.12 does it.
notZero :: Assertion
notZero = do
  bytes (P.cstringUtf8 "a\xC0\x41z"#) @?= [97, 192, 65, 122]
  bytes (P.cstringUtf8 "\xC0"#) @?= [192]
  bytes (P.cstringUtf8 "\xC0\xC0\x80z"#) @?= [192, 0, 122]
  bytes (P.cstringUtf8 "\xC0\x80\xC0"#) @?= [0, 192]
  where
    bytes = S.unpack . toStrictByteString

-- Strings made at run time. The rules do not see literals here.
check :: String -> (String -> Uses -> Builder) -> (String -> String) -> TestTree
check name use expected = testCase name (zipWithM_ each samples $(uses))
  where
    each s u = do
      let right = L.toStrict (B.toLazyByteString (B.stringUtf8 (expected s)))
          b = use s u
      assertEqual (show s) right (toStrictByteString b)
      forM_ [1 .. 40] $ \n -> do
        out <- throughBuffers n b
        assertEqual (show (n, s)) right out

-- Output through buffers of this size.
throughBuffers :: Int -> Builder -> IO S.ByteString
throughBuffers n b = do
  ref <- newIORef []
  toByteStringIOWith n (\bs -> modifyIORef ref (bs :)) b
  S.concat . reverse <$> readIORef ref

-- The character that a text holds in place of this one.
valid :: Char -> Char
valid c = if c >= '\xD800' && c <= '\xDFFF' then '\xFFFD' else c
