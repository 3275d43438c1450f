-- |
-- Module      : Main
-- Description : A program written for cereal's puts and decoders
--
-- An address book. It imports "Data.Serialize.Get" and "Data.Serialize.Put", and no others. It is
-- compiled twice: as it is, and with this library's modules under those names (see @mixins@ in the
-- cabal file). Both must read what is written here.
module Main (main) where

import Control.Monad (unless)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.Either (isLeft)
import qualified Data.Map as Map
import Data.Maybe (isNothing)
import Data.Serialize.Get
import Data.Serialize.Put
import qualified Data.Set as Set
import Data.Tree (Tree (..))
import Data.Word (Word16)
import System.Exit (exitFailure)

data Book = Book
  { people :: Map.Map Word16 Person,
    groups :: Tree S.ByteString,
    removed :: Set.Set Word16
  }
  deriving (Eq, Show)

data Person = Person
  {name :: S.ByteString, email :: Maybe S.ByteString, phone :: Either Word16 [Word16]}
  deriving (Eq, Show)

putString :: Putter S.ByteString
putString s = putWord16le (fromIntegral (S.length s)) >> putByteString s

getString :: Get S.ByteString
getString = label "string" (getWord16le >>= getByteString . fromIntegral)

putPerson :: Putter Person
putPerson p = putNested (putWord32be . fromIntegral) $ do
  putString (name p)
  putMaybeOf putString (email p)
  putEitherOf putWord16be (putListOf putWord16be) (phone p)

getPerson :: Get Person
getPerson =
  label "person" . getNested (fromIntegral <$> getWord32be) $
    Person
      <$> getString <*> getMaybeOf getString <*> getEitherOf getWord16be (getListOf getWord16be)

putBook :: Putter Book
putBook b = do
  putMapOf putWord16host putPerson (people b)
  putTreeOf putString (groups b)
  putSetOf putWord16le (removed b)

getBook :: Get Book
getBook =
  label "book" $
    Book <$> getMapOf getWord16host getPerson <*> getTreeOf getString <*> getSetOf getWord16le

book :: Book
book =
  Book
    { people =
        Map.fromList
          [ (1, Person (C.pack "Ada") (Just (C.pack "ada@example.org")) (Left 1815)),
            (2, Person (C.pack "Alan") Nothing (Right [1912, 1954]))
          ],
      groups =
        Node (C.pack "all") [Node (C.pack "here") [], Node (C.pack "there") [Node S.empty []]],
      removed = Set.fromList [3, 5]
    }

-- Reads in chunks of this size. Returns also what is left over.
stepwise :: Int -> Get a -> S.ByteString -> Maybe (a, S.ByteString)
stepwise size g input = go (runGetPartial g (S.take size input)) (S.drop size input)
  where
    go result more = case result of
      Done a rest -> Just (a, S.append rest more)
      Fail _ _ -> Nothing
      Partial k -> go (k (S.take size more)) (S.drop size more)

main :: IO ()
main = do
  let bytes = runPut (putBook book)
      followed = S.append bytes (C.pack "more")
      results =
        [ ("runGet", runGet getBook bytes == Right book),
          ( "runGetState",
            runGetState getBook (S.append (C.pack "before") followed) 6
              == Right (book, C.pack "more")
          ),
          ("runGetLazy", runGetLazy getBook (runPutLazy (putBook book)) == Right book),
          ( "runGetLazyState",
            runGetLazyState getBook (L.fromStrict followed)
              == Right (book, L.fromStrict (C.pack "more"))
          ),
          ( "in chunks",
            all (\n -> stepwise n getBook followed == Just (book, C.pack "more")) [1 .. 20]
          ),
          ( "remaining",
            runGet ((,) <$> (skip 3 *> remaining) <*> lookAhead (ensure 2 *> bytesRead)) bytes
              == Right (S.length bytes - 3, 3)
          ),
          ( "cut off",
            all (\n -> isLeft (runGet getBook (S.take n bytes))) [0 .. S.length bytes - 1]
          ),
          ("cut off, in chunks", isNothing (stepwise 7 getBook (S.take 30 bytes))),
          ( "isolate",
            isLeft (runGet (isolate 2 getWord8) bytes)
              && runGet (isolate 2 (getWord8 *> isEmpty <* getWord8)) bytes == Right False
          )
        ]
      wrong = [what | (what, ok) <- results, not ok]
  unless (null wrong) $ do
    mapM_ (\what -> putStrLn ("wrong: " ++ what)) wrong
    exitFailure
