{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE RankNTypes #-}

-- |
-- Module      : Tests.Calculator
-- Description : The calculator's server and its clients
module Tests.Calculator (tests) where

import Ashlar.Codec (Codec)
import Ashlar.Network.Messages
import Ashlar.Schema (Described)
import Calculator
import Control.Concurrent.Async
import Control.Exception hiding (evaluate)
import qualified Data.List as List
import GHC.Generics (Generic)
import Network.Socket
import System.IO.Temp (withSystemTempDirectory)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "calculator"
    [ testProperty "each answer is that of its question" . forAll (listOf expressions) $ \es ->
        ioProperty $
          withServer $ \connected -> do
            answers <- connected (\t -> withCalculator t (\c -> askAll c es))
            pure (answers === map (Just . evaluate) es),
      testCase "many clients at once, of which some go away" $
        withServer $ \connected -> do
          let client n = connected $ \t -> withCalculator t $ \c -> do
                answers <- mapM (ask c . Number) [1 .. n]
                if even n then throwIO Gone else pure answers
          results <- mapConcurrently (try . client) [1 .. 40]
          results
            @?= [ if even n then Left Gone else Right [Just (Result i) | i <- [1 .. n]]
                  | n <- [1 .. 40]
                ],
      testCase "a client of another type is refused, and told why" $
        withServer $ \connected -> do
          r <- try $
            connected $ \t ->
              withConnection defaultOptions other described t $ \c ->
                send c (Modulo 7 2) >> receive c
          case r of
            Left (Refused why) -> assertBool why ("Modulo" `List.isInfixOf` why)
            Left e -> assertFailure (show e)
            Right answer -> assertFailure (show (answer :: Maybe Answer))
          -- The server goes on.
          answer <- connected (\t -> withCalculator t (\c -> ask c (Number 1)))
          answer @?= Just (Result 1)
    ]
  where
    other = described :: RecordType Other

-- | Not what the server reads.
data Other = Modulo Integer Integer | Root Integer
  deriving stock (Generic)
  deriving anyclass (Codec, Described)

data Gone = Gone
  deriving stock (Eq, Show)

instance Exception Gone

expressions :: Gen Expression
expressions = sized go
  where
    go n
      | n <= 1 = Number <$> arbitrary
      | otherwise = elements [(:+:), (:*:), Over] <*> go (n `div` 2) <*> go (n `div` 2)

-- | A server, and what gives an action a stream that is connected to it.
withServer :: ((forall a. (Transport -> IO a) -> IO a) -> IO b) -> IO b
withServer act = withSystemTempDirectory "calculator" $ \folder -> do
  let address = SockAddrUnix (folder ++ "/socket")
      unix = bracket (socket AF_UNIX Stream defaultProtocol) close
  unix $ \listener -> do
    bind listener address
    listen listener 64
    withAsync (serve socketTransport listener) $ \_ ->
      act (\client -> unix (\s -> connect s address >> socketTransport s >>= client))
